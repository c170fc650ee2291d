// Restate: its server from npm and a service in this process.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { once } from "node:events";
import { dirname, join } from "node:path";
import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { main, next, page, spec } from "../work.mjs";

// The SDK expects Node.js 22.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
};

const require = createRequire(import.meta.url);
// The server's own package only chooses among these.
const server = require.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/package.json`);

async function freePort() {
  const s = createServer().listen(0, "127.0.0.1");
  await once(s, "listening");
  const { port } = s.address();
  s.close();
  await once(s, "close");
  return port;
}

const awakeables = new Map(); // what tells that a run waits, by key

const three = restate.service({
  name: "three",
  handlers: {
    run: async (ctx) => {
      for (const step of ["a", "b", "c"]) await ctx.run(step, () => true);
      return true;
    },
  },
});

const gated = restate.service({
  name: "gated",
  handlers: {
    run: async (ctx, key) => {
      await ctx.run("a", () => true);
      const { id, promise } = ctx.awakeable();
      awakeables.get(key)?.(id);
      await promise;
      await ctx.run("b", () => {
        next();
        return true;
      });
      return true;
    },
  },
  // A run is kept in memory for a minute by default; people take longer.
  options: { inactivityTimeout: 10 },
});

async function untilAnswered(url) {
  for (let i = 0; i < 300; i++) {
    if (await fetch(url).then((r) => r.ok, () => false)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${url} does not answer`);
}

async function post(url, body) {
  const r = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
  if (!r.ok) throw new Error(`${url}: ${r.status} ${await r.text()}`);
  return r.json();
}

await main(async () => {
  const [ingress, admin, node, port] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const child = spawn(join(dirname(server), "bin", "restate-server"), [], {
    stdio: "ignore",
    env: {
      ...process.env,
      RESTATE_BASE_DIR: spec.dir,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: "true",
    },
  });
  await restate.serve({ services: [three, gated], port, logger: () => {} });
  await untilAnswered(`http://127.0.0.1:${admin}/health`);
  await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });
  await untilAnswered(`http://127.0.0.1:${ingress}/restate/health`);
  const client = clients.connect({ url: `http://127.0.0.1:${ingress}` });
  let keys = 0;

  return {
    about: {
      version: require(server).version,
      sync: "RocksDB log, flushed (rocksdb-disable-wal-fsync = false, its default)",
    },
    three: () => client.serviceClient(three).run(),
    wait: async () => {
      const key = `k${++keys}`;
      const id = new Promise((told) => awakeables.set(key, told));
      await client.serviceSendClient(gated).run(key);
      await id;
      awakeables.delete(key);
      return id;
    },
    decide: (id) => client.resolveAwakeable(id, "approve"),
    list: async () => {
      const { rows } = await post(`http://127.0.0.1:${admin}/query`, {
        query: `SELECT id, created_at FROM sys_invocation
          WHERE target_service_name = 'gated' AND status = 'suspended' ORDER BY created_at LIMIT ${page}`,
      });
      return rows.length;
    },
    close: () => child.kill(),
  };
});
