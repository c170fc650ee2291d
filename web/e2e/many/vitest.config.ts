import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// 100,000 pending approvals take a while to make: `make webinbox`.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    environment: "node",
    include: ["*.perf.ts"],
    globalSetup: ["../harness/global.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
});
