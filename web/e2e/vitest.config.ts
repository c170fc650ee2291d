import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The real program, the real pages, a real browser: `make webe2e`.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    environment: "node",
    include: ["**/*.e2e.ts"],
    globalSetup: ["./harness/global.ts"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ["default"],
  },
});
