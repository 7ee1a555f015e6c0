import { expect, it } from "vitest";
import { Lab } from "./matrix/lab.ts";
import { POISON, PLAIN } from "./matrix/stories.ts";
import { telegramWorld } from "./matrix/telegram-world.ts";

it(
  "a message whose turn kills the process three times is failed with one sentence, and others are answered",
  { timeout: 180_000 },
  async () => {
    const lab = await Lab.open(await telegramWorld());
    try {
      const poisoned = await lab.run(POISON);
      expect(poisoned).toMatchObject({ problems: [], died: true });
      expect(await lab.run(PLAIN)).toMatchObject({ problems: [], died: false });
    } finally {
      await lab.close();
    }
  },
);
