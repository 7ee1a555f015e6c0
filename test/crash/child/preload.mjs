// @ts-check
import { watchAnswers, watchCalls } from "./call-points.mjs";
import { commitPoints } from "./commit-points.mjs";
import { seededFault } from "./faults.mjs";
import { beginRun } from "./points.mjs";
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

process.on("message", (/** @type {{ begin?: { kill?: import("./points.mjs").Point } }} */ { begin }) => {
  if (begin === undefined) return;
  beginRun(begin.kill);
  process.send?.({ began: true });
});
// The gateway decides how long it lives, not this channel.
process.channel?.unref();
