import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Packages resolve to their source here, so that a test never runs a stale build.
const conditions = ["trunkline-source"];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
};

export default defineConfig({
  test: {
    // The tests wait a lot, for processes and browsers: with as many workers as cores, these are idle for almost half of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      {
        ...shared,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "test/{arch,docs,golden,properties,stories,store}/**/*.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        ...shared,
        test: {
          name: "system",
          // Real processes: they run what `pnpm build` made.
          include: ["test/{system,crash,browser}/**/*.test.ts"],
          globalSetup: ["test/support/build.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
