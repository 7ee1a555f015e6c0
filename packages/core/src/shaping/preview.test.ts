import { describe, expect, it } from "vitest";
import { previewText } from "./preview.ts";

const context = { silentToken: "NO_REPLY" };
const preview = (text: string) => previewText(text, context);

describe("the preview of a growing answer", () => {
  it.each(["N", "NO", "no_", "NO_REP", "NO_REPLY", "**NO_RE", "`NO_REPLY", "HEARTBEAT", "HEARTBEAT_OK", "  \nNO_", "...", ""])(
    "shows nothing of %j",
    (text) => {
      expect(preview(text)).toBe("");
    },
  );

  it.each([
    ["Not", "Not"],
    ["NO_REPLY_N", "NO_REPLY_N"],
    ["NO_REPLY is a word", "NO_REPLY is a word"],
    ["Done. NO_REP", "Done."],
    ["好的NO_", "好的"],
    ["Say NO_REPLY", "Say NO_REPLY"],
    ["Fine HEARTBEAT_", "Fine"],
    ["hi [", "hi"],
    ["hi [[rep", "hi"],
    ["hi [[reply_to:4", "hi"],
    ["hi [[reply_to:4]", "hi"],
    ["hi [[reply_to:4]]", "hi"],
    ["hi [[wiki", "hi [[wiki"],
    ["hi [[reply_now", "hi [[reply_now"],
    ["hi <", "hi"],
    ["hi <REPLY_TO cur", "hi"],
    ["hi <thi", "hi"],
    ["hi <think>secret", "hi"],
    ["a <b and c", "a <b and c"],
    ["hi\nMED", "hi"],
    ["hi\nMEDIA: ./a.p", "hi"],
    ["hi\nMEDIA: it says\nso", "hi\nMEDIA: it says\nso"],
    ["hi\n<MEDIA_URL>./a", "hi"],
    ['hi\n{"tool_c', "hi"],
    ['hi\n{"tool_calls":[{', "hi"],
    ['hi\n{"name":', 'hi\n{"name":'],
    ["hi <SILENT>st", "hi"],
    ["```js [[reply_to_current]]", ""],
  ])("of %j shows %j", (text, expected) => {
    expect(preview(text).trimEnd()).toBe(expected);
  });

  it("releases what was held back once it is text", () => {
    const deltas = ["N", "O", "thing", " to", " do", "."];
    const shown = deltas.map((_delta, index) => preview(deltas.slice(0, index + 1).join("")));
    expect(shown).toEqual(["", "", "NOthing", "NOthing to", "NOthing to do", "NOthing to do."]);
  });
});
