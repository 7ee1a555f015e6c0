import { acceptInbound } from "../../../packages/core/src/store/inbox.ts";
import { openStore } from "../../../packages/core/src/store/open.ts";
import { systemClock } from "../../../packages/plugin-sdk/src/index.ts";
import { inbound } from "../samples.ts";
const url=process.argv[2]!;
const store = await openStore({ url, clock: systemClock });
await store.write((tx)=>tx.execute({sql:"create table if not exists b(id text primary key, v text)",parameters:[]}),"durable");
let n=0; const tag=process.pid+"-";
const ins=(d:any)=>store.write((tx)=>tx.execute({sql: store.dialect==="sqlite"?"insert into b values(?,?)":"insert into b values($1,$2)",parameters:[tag+(n++),"x".repeat(100)]}),d);
async function rate(name:string,f:()=>Promise<unknown>,count:number,conc=1){const t=performance.now();const c0=store.stats();let left=count;await Promise.all(Array.from({length:conc},async()=>{while(left-->0)await f()}));const s=(performance.now()-t)/1000;const c1=store.stats();console.log(name.padEnd(40),(count/s).toFixed(0),"/s","commits",c1.commits.durable-c0.commits.durable,c1.commits.plain-c0.commits.plain)}
await rate("warm",()=>ins("durable"),300);
await rate("durable 1 row, serial",()=>ins("durable"),2000);
await rate("committed 1 row, serial",()=>ins("committed"),10000);
await rate("durable 1 row, 50 writers",()=>ins("durable"),20000,50);
let m=process.pid*100000; const acc=(d:any)=>{const r=inbound(m++,{conv:"c"+(m%50),conversation:"c"+(m%50)});return store.write((tx)=>acceptInbound(tx,{...r,id:"in_"+tag+m}),d)};
await rate("acceptInbound durable serial",()=>acc("durable"),2000);
await rate("acceptInbound durable 50 writers",()=>acc("durable"),20000,50);
await store.close();
