import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Alone on the machine, as far as it goes: `make lighthouse`.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    environment: "node",
    include: ["*.perf.ts"],
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});
