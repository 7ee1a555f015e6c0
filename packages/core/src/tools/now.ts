import { defineTool } from "@trunkline/plugin-sdk";
import { z } from "zod";

export const nowTool = defineTool({
  name: "now",
  description: "The current date and time.",
  parameters: z.object({ zone: z.string().optional().describe("IANA time zone such as Europe/Berlin; UTC when absent") }),
  idempotent: true,
  async run({ zone }, { clock }) {
    const timeZone = zone ?? "UTC";
    try {
      const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone }).format(clock.now());
      return `${text} (${new Date(clock.now()).toISOString()})`;
    } catch {
      return `There is no time zone "${timeZone.slice(0, 60)}". Use an IANA name such as Europe/Berlin.`;
    }
  },
});
