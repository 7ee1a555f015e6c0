// @ts-check
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { get } from "node:http";
import { createTextTool } from "@trunkline/plugin-sdk/testing";

/** What points.mjs, which is loaded before everything else, has for tools. @type {{ reach(name: string): void, dieNow(): void }} */
const points = /** @type {any} */ (globalThis)[Symbol.for("trunkline.test.crash-points")];

/**
 * Tools whose effect is a line in a file outside of the gateway, which no crash takes back.
 * @param {string} file
 */
export function storyTools(file) {
  /** @param {string} name @param {boolean} idempotent @param {(mark: string) => Promise<void>} [more] */
  const marking = (name, idempotent, more) =>
    createTextTool(
      name,
      async ({ text }) => {
        points.reach(`tool ${name}: before`);
        appendDurably(file, `${name} ${text}`);
        await more?.(text);
        points.reach(`tool ${name}: after`);
        return `done ${text}`;
      },
      { idempotent },
    );
  return [
    marking("measure", true),
    marking("book", false),
    marking("explode", true, async () => points.dieNow()),
    // One call to a platform that no story makes but the one that shows that it becomes a point by itself.
    marking("ping", false, async (root) => void (await fetchWhole(`${root}/getMe`))),
  ];
}

/** @param {string} file @param {string} line */
function appendDurably(file, line) {
  const fd = openSync(file, "a");
  writeSync(fd, `${line}\n`);
  fsyncSync(fd);
  closeSync(fd);
}

/** @param {string} url @returns {Promise<number | undefined>} the status */
function fetchWhole(url) {
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
}
