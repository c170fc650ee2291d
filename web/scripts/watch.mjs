// Starts a server that is rebuilt when Go code changes, and the pages with hot reloading in front of it.
//
//   make watch            open http://127.0.0.1:5173
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const address = process.env.ASSENT_ADDR ?? "127.0.0.1:8080";
const settled = 300; // ms without another change

const start = (command, args, cwd = root) => spawn(command, args, { cwd, stdio: "inherit" });
const ended = (child) => new Promise((done) => child.once("exit", done));

let server;
let stopping = false;

async function stopServer() {
  if (server && server.exitCode === null) {
    server.kill("SIGTERM");
    await ended(server);
  }
}

async function rebuild() {
  const failed = await ended(start("go", ["build", "-o", "bin/assent", "./cmd/assent"]));
  if (failed || stopping) return; // the compiler has reported why; the last successful build keeps running
  await stopServer();
  if (!stopping) server = start("bin/assent", ["serve", "--demo", "--load", "examples", "--addr", address]);
}

let building = Promise.resolve();
let timer;
function changed(file) {
  if (!file?.endsWith(".go") && !file?.endsWith(".sql")) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    building = building.then(rebuild);
  }, settled);
}
for (const folder of ["cmd", "internal"]) watch(`${root}/${folder}`, { recursive: true }, (_, file) => changed(file));

const pages = start("npx", ["vite", "--host", "127.0.0.1"], `${root}/web`);
async function stop() {
  if (stopping) return;
  stopping = true;
  pages.kill("SIGTERM");
  await building;
  await stopServer();
  process.exit(0);
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
pages.once("exit", stop);
building = rebuild();
