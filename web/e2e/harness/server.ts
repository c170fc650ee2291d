import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const binary = process.env.ASSENT_BINARY ?? here("../../../bin/assent");
const readyMs = 120_000;

export interface ServerOptions {
  /** More arguments of `assent serve`. */
  args?: string[];
  env?: Record<string, string>;
  /** Folders of documents, relative to web/e2e. The tests' own documents by default. */
  load?: string[];
  /** Fills the data directory before the program starts. */
  prepare?: (data: string) => Promise<void>;
  /** More documents, for values known only when the tests run. */
  documents?: () => Promise<string>;
}

/** A page as served to a browser that navigates there; fetch counts as a script and gets none. */
async function page(url: string): Promise<string> {
  const [answer] = (await once(get(url), "response")) as [IncomingMessage];
  return (await answer.setEncoding("utf8").toArray()).join("");
}

/** The port of this worker's servers: at the same address, the browser's caches serve one file after the other. */
let port = 0;

/** The real program with its own data directory. */
export class Server {
  url = "";
  private child: ChildProcess | undefined;
  private log = "";
  private readonly place = mkdtempSync(join(tmpdir(), "assent-web-e2e-"));

  private constructor(private readonly options: ServerOptions) {}

  static async start(options: ServerOptions = {}): Promise<Server> {
    if (!existsSync(binary)) throw new Error(`There is no ${binary}. Build it with: make build`);
    const server = new Server(options);
    mkdirSync(join(server.place, "documents"));
    if (options.documents) writeFileSync(join(server.place, "documents", "more.yaml"), await options.documents());
    await options.prepare?.(join(server.place, "data"));
    await server.start(`127.0.0.1:${port}`).catch((error) => {
      // Another server of this file has it, or a connection of another process was given it in the meantime.
      if (port === 0 || !/address already in use/.test(String(error))) throw error;
      return server.start("127.0.0.1:0");
    });
    if (port === 0) port = Number(new URL(server.url).port);
    if (!(await page(`${server.url}/inbox`)).includes('id="root"')) {
      await server.stop();
      throw new Error(`${binary} was built without the pages. Build it with: make build`);
    }
    return server;
  }

  /** Restarts it at the same address with the same data. */
  async restart(): Promise<void> {
    const { host } = new URL(this.url);
    for (const end = Date.now() + readyMs; ; ) {
      try {
        await this.start(host);
        return;
      } catch (error) {
        // A connection of another process may have been given the port in the meantime.
        if (Date.now() > end || !/address already in use/.test(String(error))) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  private async start(addr: string): Promise<void> {
    const folders = [
      ...(this.options.load ?? ["documents"]).map((dir) => here(`../${dir}`)),
      join(this.place, "documents"),
    ];
    const load = folders.flatMap((dir) => ["--load", dir]);
    const child = spawn(
      binary,
      ["serve", "--addr", addr, "--data", join(this.place, "data"), ...load, ...(this.options.args ?? [])],
      { env: { ...process.env, ...this.options.env }, stdio: ["ignore", "pipe", "pipe"] },
    );
    this.child = child;
    child.stderr.on("data", (chunk) => {
      this.log = (this.log + chunk).slice(-20_000);
    });
    const line = await new Promise<string>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`assent serve: ${why}\n${this.log}`));
      const timer = setTimeout(() => fail(`not ready after ${readyMs} ms`), readyMs);
      createInterface(child.stdout).once("line", (text) => {
        clearTimeout(timer);
        resolve(text);
      });
      child.once("exit", (code) => {
        clearTimeout(timer);
        fail(`ended with ${code}`);
      });
      child.once("error", (error) => fail(error.message));
    });
    const ready = "assent: ready on ";
    if (!line.startsWith(ready)) throw new Error(`The first line is ${line}\n${this.log}`);
    this.url = line.slice(ready.length).trim();
  }

  /** Runs another command of the program on the same data. */
  command(args: string[], input = ""): void {
    const { status, stderr } = spawnSync(binary, args, {
      input,
      encoding: "utf8",
      env: { ...process.env, ASSENT_DATA: join(this.place, "data") },
    });
    if (status !== 0) throw new Error(`assent ${args.join(" ")}: ${status} ${stderr}`);
  }

  /** Kills it like a crash. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Stops it gracefully and removes its data. */
  async stop(): Promise<void> {
    // The tests are over; work in progress need not finish.
    await this.end("SIGTERM", 3000);
    rmSync(this.place, { recursive: true, force: true, maxRetries: 5 });
  }

  private async end(signal: NodeJS.Signals, patienceMs = 10_000): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, "exit");
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    await over;
    clearTimeout(timer);
  }
}
