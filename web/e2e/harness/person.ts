import type { Server } from "./server";

/** A response; payloads are plain JSON here, so big numbers are read as text where they matter. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the contract, not types
export type Json = any;

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: Json,
    what: string,
  ) {
    super(`${what}: ${status} ${JSON.stringify(body)}`);
  }
}

/** How long tests wait for anything. Long, for busy machines; real failures are just reported a little later. */
export const patienceMs = 120_000;

/** A user with roles who prepares tests over the API: in local mode all names are trusted. */
export class Person {
  constructor(
    private readonly server: () => Server,
    readonly name: string,
    readonly roles: string[] = [],
  ) {}

  get headers(): Record<string, string> {
    return { "X-Assent-User": this.name, "X-Assent-Roles": this.roles.join(",") };
  }

  async send(method: string, path: string, body?: unknown, type = "application/json"): Promise<Json> {
    const answer = await fetch(`${this.server().url}/api/v1${path}`, {
      method,
      headers: { ...this.headers, ...(body === undefined ? {} : { "Content-Type": type }) },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const value = text && (answer.headers.get("Content-Type") ?? "").includes("json") ? JSON.parse(text) : text;
    if (!answer.ok) throw new Refused(answer.status, value, `${method} ${path}`);
    return value;
  }

  /** The raw response, for numbers that JavaScript cannot represent. */
  async text(path: string): Promise<string> {
    return await (await fetch(`${this.server().url}/api/v1${path}`, { headers: this.headers })).text();
  }

  get(path: string): Promise<Json> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}): Promise<Json> {
    return this.send("POST", path, body);
  }

  put(path: string, body: unknown = {}): Promise<Json> {
    return this.send("PUT", path, body);
  }

  /** Starts a run and returns its id. A string is sent verbatim. */
  async start(workflow: string, input: unknown = {}): Promise<string> {
    const body = `{"workflow":${JSON.stringify(workflow)},"input":${typeof input === "string" ? input : JSON.stringify(input)}}`;
    return (await this.send("POST", "/runs", body)).id;
  }

  /** Starts a run, waits for its approval and returns that. */
  async asked(workflow: string, input: unknown = {}): Promise<Json> {
    return this.approvalOf(await this.start(workflow, input));
  }

  /** The pending approval of a run. */
  async approvalOf(run: string): Promise<Json> {
    const id = await until(`an approval of ${run}`, async () => (await this.run(run)).pending_approvals[0]);
    return this.get(`/approvals/${id}`);
  }

  run(id: string): Promise<Json> {
    return this.get(`/runs/${id}`);
  }

  /** Waits until a run has one of these statuses. */
  async reaches(id: string, ...states: string[]): Promise<Json> {
    return until(`${id} to be ${states.join(" or ")}`, async () => {
      const run = await this.run(id);
      return states.includes(run.status) ? run : undefined;
    });
  }

  async decide(id: string, act: string, more: object = {}): Promise<Json> {
    const { version } = await this.get(`/approvals/${id}`);
    return this.post(`/approvals/${id}/decisions`, { act, version, ...more });
  }

  /** Waits until an approval is settled. */
  async settled(id: string): Promise<Json> {
    return until(`${id} to be settled`, async () => {
      const approval = await this.get(`/approvals/${id}`);
      return approval.status === "pending" ? undefined : approval;
    });
  }
}

/** Polls until there is a result. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false>,
  ms = patienceMs,
): Promise<T> {
  for (const end = Date.now() + ms; ; ) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`Waited ${ms} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
