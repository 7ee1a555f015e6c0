import type { Story } from "./story.ts";

const plain: Story = {
  name: "plain answer",
  place: "direct",
  play: (person, mark) => person.say(`plain ${mark}`),
  answers: (mark) => [[`Plain answer to ${mark}.`]],
};

/** What child/scripts.mjs has the model's side of. */
export const STORIES: readonly Story[] = [plain];
