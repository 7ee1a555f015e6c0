// @ts-check
import { watchAnswers, watchCalls } from "./call-points.mjs";
import { commitPoints } from "./commit-points.mjs";
import { seededFault } from "./faults.mjs";
import { beginRun, endRun } from "./points.mjs";
import { watchSqlite } from "./sqlite-library.mjs";

// Loaded before the gateway (`node --import`), which knows nothing of it. What is watched are the three kinds of places at which
// something becomes durable or visible, so that a commit or a call that is new in the gateway is a new point by itself.
const fault = seededFault(process.env.CRASH_FAULT);
watchSqlite(() => {
  const commits = commitPoints();
  return { rewrite: fault.rewrite, around: (sql, parameters, run) => commits(sql, () => fault.run(sql, parameters, run)) };
});
watchCalls();
watchAnswers();

process.on("message", (/** @type {{ begin?: { kill?: import("./points.mjs").Point }, end?: true }} */ { begin, end }) => {
  if (begin !== undefined) beginRun(begin.kill);
  else if (end) endRun();
  else return;
  process.send?.({ done: true });
});
