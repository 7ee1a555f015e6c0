// @ts-check
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { definePlugin, MODELS } from "@trunkline/plugin-sdk";
import { createScriptedModel, say } from "@trunkline/plugin-sdk/testing";
import { scriptOf } from "./scripts.mjs";

/** @typedef {import("@trunkline/plugin-sdk").ModelRequest} ModelRequest */

/**
 * What the stories need beside the gateway: a model that answers by script. It keeps nothing, so it is the same after a restart.
 * @param {{ toolLog: string }} options `toolLog`: where tools leave their mark on the world
 */
export function storyPlugin({ toolLog: _ }) {
  return definePlugin({
    name: "crash-stories",
    version: "0.0.0",
    register(context) {
      context.contribute(MODELS, createScriptedModel({ id: "script", otherwise: answer }));
    },
  });
}

/** @param {ModelRequest} request */
function answer({ messages }) {
  const asked = messages.findLastIndex((message) => message.role === "user" && scriptOf(message.text) !== undefined);
  const script = scriptOf(messages[asked]?.text ?? "");
  if (script === undefined) return [say("There is no story about this.")];
  return script.steps(messages.slice(asked + 1));
}

/** Leaves a mark that no crash takes back. @param {string} file @param {string} line */
export function appendDurably(file, line) {
  const fd = openSync(file, "a");
  writeSync(fd, `${line}\n`);
  fsyncSync(fd);
  closeSync(fd);
}
