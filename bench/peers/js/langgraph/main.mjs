// LangGraph for JavaScript: a graph with a checkpointer.
import { createRequire } from "node:module";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { main, next, page, spec } from "../work.mjs";

const { version } = createRequire(import.meta.url)("@langchain/langgraph/package.json");

async function openSaver() {
  if (spec.store === "postgres") {
    const saver = PostgresSaver.fromConnString(spec.postgres);
    await saver.setup();
    return [saver, "PostgreSQL, fsync=on, synchronous_commit=on; durability=sync"];
  }
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(join(spec.dir, "langgraph.db"));
  saver.db.pragma("synchronous=FULL"); // better-sqlite3 has NORMAL for WAL
  return [saver, "SQLite, WAL, synchronous=FULL (NORMAL by default); durability=sync"];
}

const State = Annotation.Root({ n: Annotation() });
const step = () => ({ n: 1 });

await main(async () => {
  const [checkpointer, sync] = await openSaver();
  const three = new StateGraph(State)
    .addNode("a", step)
    .addNode("b", step)
    .addNode("c", step)
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .compile({ checkpointer });
  const gated = new StateGraph(State)
    .addNode("a", step)
    .addNode("ask", () => {
      interrupt("Continue?");
      return { n: 2 };
    })
    .addNode("b", () => {
      next();
      return { n: 3 };
    })
    .addEdge(START, "a")
    .addEdge("a", "ask")
    .addEdge("ask", "b")
    .addEdge("b", END)
    .compile({ checkpointer });
  // By default a step starts while the checkpoint before it is still being written.
  const on = (id) => ({ configurable: { thread_id: id }, durability: "sync" });

  return {
    about: { version, sync },
    three: () => three.invoke({ n: 0 }, on(randomUUID())),
    wait: async () => {
      const id = randomUUID();
      await gated.invoke({ n: 0 }, on(id));
      return id;
    },
    decide: (id) => gated.invoke(new Command({ resume: "approve" }), on(id)),
    // There is no list of threads that wait: checkpoints are read, newest first,
    // until enough of them have an interrupt.
    list: async () => {
      const found = new Set();
      let before;
      for (;;) {
        let last;
        for await (const c of checkpointer.list({ configurable: {} }, { limit: 4 * page, before })) {
          last = c.config;
          if (c.pendingWrites?.some(([, channel]) => channel === "__interrupt__")) {
            found.add(c.config.configurable.thread_id);
            if (found.size === page) return page;
          }
        }
        if (!last) return found.size;
        before = last;
      }
    },
    close: () => checkpointer.end?.(),
  };
});
