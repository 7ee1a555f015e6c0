import { LLMock } from "@copilotkit/aimock";
import { onTestFinished } from "vitest";

/** What the echo model answers to a text: something that no other text gets, in Markdown. */
export function echoAnswer(text: string): string {
  return `You said **${text}**, and that is all I know.`;
}

/** An OpenAI-compatible server (aimock) whose model answers every message with `answer` of the last user text. */
export async function modelServer(
  answer: (text: string) => string = echoAnswer,
  { msPerPiece = 0 }: { readonly msPerPiece?: number } = {},
): Promise<{ readonly url: string; requests(): number }> {
  const mock = new LLMock({ port: 0, chunkSize: 20, latency: msPerPiece, logLevel: "silent" });
  mock.onMessage(/[\s\S]*/, (request) => {
    const last = request.messages.findLast((message) => message.role === "user");
    const text = typeof last?.content === "string" ? last.content : "";
    return { content: answer(text) };
  });
  await mock.start();
  onTestFinished(() => mock.stop());
  return { url: `${mock.url}/v1`, requests: () => mock.getRequests().length };
}
