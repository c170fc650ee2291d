// Mastra: a workflow with suspend and resume, and a storage.
import { createRequire } from "node:module";
import { join } from "node:path";
import { Mastra } from "@mastra/core/mastra";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { LibSQLStore } from "@mastra/libsql";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";
import { main, next, page, spec } from "../work.mjs";

const require = createRequire(import.meta.url);

function openStorage() {
  if (spec.store === "postgres") {
    return [
      new PostgresStore({ id: "peers", connectionString: spec.postgres }),
      "PostgreSQL, fsync=on, synchronous_commit=on",
    ];
  }
  return [
    new LibSQLStore({ id: "peers", url: `file:${join(spec.dir, "mastra.db")}` }),
    "libSQL, WAL, synchronous=NORMAL (set by its store)",
  ];
}

const value = z.object({ n: z.number() });
const step = (id, execute = async () => ({ n: 1 })) =>
  createStep({ id, inputSchema: value, outputSchema: value, execute });

const three = createWorkflow({ id: "three", inputSchema: value, outputSchema: value })
  .then(step("a"))
  .then(step("b"))
  .then(step("c"))
  .commit();

const ask = createStep({
  id: "ask",
  inputSchema: value,
  outputSchema: value,
  resumeSchema: z.object({ approved: z.boolean() }),
  suspendSchema: z.object({ reason: z.string() }),
  execute: async ({ inputData, resumeData, suspend }) => {
    if (!resumeData) return suspend({ reason: "Continue?" });
    return inputData;
  },
});

const gated = createWorkflow({ id: "gated", inputSchema: value, outputSchema: value })
  .then(step("a"))
  .then(ask)
  .then(
    step("b", async () => {
      next();
      return { n: 2 };
    }),
  )
  .commit();

function expect(status, result) {
  if (result.status !== status) throw new Error(`the run is ${result.status}, want ${status}: ${result.error ?? ""}`);
}

await main(async () => {
  const [storage, sync] = openStorage();
  await storage.init();
  const mastra = new Mastra({ storage, workflows: { three, gated }, logger: false });
  const [threes, gateds] = [mastra.getWorkflow("three"), mastra.getWorkflow("gated")];

  return {
    about: { version: require("@mastra/core/package.json").version, sync },
    three: async () => {
      const run = await threes.createRun();
      expect("success", await run.start({ inputData: { n: 0 } }));
    },
    wait: async () => {
      const run = await gateds.createRun();
      expect("suspended", await run.start({ inputData: { n: 0 } }));
      return run.runId;
    },
    decide: async (id) => {
      const run = await gateds.createRun({ runId: id });
      expect("success", await run.resume({ step: "ask", resumeData: { approved: true } }));
    },
    list: async () => (await gateds.listWorkflowRuns({ status: "suspended", page: 0, perPage: page })).runs.length,
    close: () => storage.close?.(),
  };
});
