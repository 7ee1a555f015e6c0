import { describe, expect, it } from "vitest";
import { createContainer } from "./container.ts";
import { definePlugin, type Plugin, type PluginContext } from "./plugin.ts";
import { createManyToken, createToken } from "./tokens.ts";

const NAME = createToken<string>("NAME");
const THINGS = createManyToken<{ readonly id: string; readonly from?: string }>("THINGS", (thing) => thing.id);

const plugin = (name: string, register: (context: PluginContext) => void): Plugin => definePlugin({ name, version: "1.0.0", register });
const things = (name: string, ...ids: readonly string[]) =>
  plugin(name, (context) => ids.forEach((id) => context.contribute(THINGS, { id, from: name })));

describe("the container", () => {
  it("gives the one value of a token, and says when nobody provides it", () => {
    const container = createContainer();
    expect(() => container.get(NAME)).toThrow(expect.objectContaining({ code: "PLUGIN_TOKEN_MISSING", message: "Nothing provides NAME." }));
    expect(container.has(NAME)).toBe(false);
    container.provide(NAME, "trunkline");
    expect(container.get(NAME)).toBe("trunkline");
    expect(container.has(NAME)).toBe(true);
  });

  it("gives all values of a token in the order in which they came; none when there are none", () => {
    const container = createContainer();
    expect(container.all(THINGS)).toEqual([]);
    container.register(things("one", "a", "b"));
    container.register(things("two", "c"));
    expect(container.all(THINGS).map(({ id, from }) => `${from}/${id}`)).toEqual(["one/a", "one/b", "two/c"]);
  });

  it("gives the very values, each time", () => {
    const container = createContainer();
    const thing = { id: "a" };
    container.register(plugin("one", (context) => context.contribute(THINGS, thing)));
    container.register(things("two", "b"));
    expect(container.all(THINGS)[0]).toBe(thing);
  });

  it("refuses a duplicate id and names both plugins", () => {
    const container = createContainer();
    container.register(things("first", "a"));
    expect(() => container.register(things("second", "b", "a"))).toThrow(
      expect.objectContaining({ code: "PLUGIN_DUPLICATE_ID", message: "Two plugins provide the THINGS a: first and second." }),
    );
    expect(container.all(THINGS).map(({ id }) => id)).toEqual(["a"]);
  });

  it("refuses the same id twice from one plugin, and a second provider", () => {
    const container = createContainer();
    expect(() => container.register(things("one", "a", "a"))).toThrow("one and one");
    container.register(plugin("one", (context) => context.provide(NAME, "x")));
    expect(() => container.provide(NAME, "y")).toThrow("one and gateway");
    expect(container.get(NAME)).toBe("x");
  });

  it("keeps nothing of a plugin that fails while it registers", () => {
    const container = createContainer();
    const broken = plugin("broken", (context) => {
      context.contribute(THINGS, { id: "a" });
      throw new Error("broken");
    });
    expect(() => container.register(broken)).toThrow("broken");
    expect(container.all(THINGS)).toEqual([]);
  });

  it("takes everything back that a stopped plugin registered, and nothing else", () => {
    const container = createContainer();
    const undo = container.register(
      plugin("one", (context) => {
        context.contribute(THINGS, { id: "a" });
        context.provide(NAME, "x");
      }),
    );
    container.register(things("two", "b"));
    undo();
    undo();
    expect(container.all(THINGS).map(({ id }) => id)).toEqual(["b"]);
    expect(() => container.get(NAME)).toThrow("Nothing provides");
    container.register(things("again", "a"));
    expect(container.all(THINGS).map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("is apart from other containers, and tells tokens apart that have one name", () => {
    const [one, other] = [createContainer(), createContainer()];
    one.provide(NAME, "x");
    expect(() => other.get(NAME)).toThrow("Nothing provides");
    expect(() => one.get(createToken("NAME"))).toThrow("Nothing provides");
  });
});
