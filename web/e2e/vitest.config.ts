import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest first, so that both workers are done at the same time. */
class LongestFirst extends BaseSequencer {
  private readonly long = [
    "pages-narrow",
    "run",
    "keyboard",
    "pages-wide",
    "inbox",
    "govern",
    "approval",
    "shell",
    "studio-parts",
    "admin",
    "touch",
    "typing",
    "replay",
    "studio",
    "counts",
  ];

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification) => {
      const at = this.long.indexOf(basename(file.moduleId, ".e2e.ts"));
      return at < 0 ? this.long.length : at;
    };
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

// The real program, the real pages, a real browser: `make webe2e`.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    environment: "node",
    include: ["*.e2e.ts"],
    globalSetup: ["./harness/global.ts"],
    maxWorkers: 2,
    isolate: false, // the driver of the browser takes longer to load than many a story to tell
    sequence: { sequencer: LongestFirst },
    testTimeout: 600_000, // more than patienceMs: what was waited for says more than that time is over
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    reporters: ["default"],
  },
});
