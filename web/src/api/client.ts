import createClient, { type Middleware } from "openapi-fetch";
import { stringify } from "../json";
import { aside } from "../json/aside";
import { envelop, shapeOfAnswer } from "../json/envelop";
import { send } from "./early";
import { problemOf, unreachable } from "./error";
import type { paths } from "./schema";

/** Longer responses are parsed in a worker, to keep the page responsive. */
const longest = 500_000;
const readAside = new WeakMap<Response, unknown>();

const payloads: Middleware = {
  async onResponse({ response, schemaPath, request }) {
    if (!response.ok) throw await problemOf(response);
    const shape = shapeOfAnswer(request.method, schemaPath);
    if (shape === undefined || !response.headers.get("Content-Type")?.startsWith("application/json")) return response;
    const { status, headers } = response;
    const init = { status, headers: { "Content-Type": headers.get("Content-Type") ?? "" } };
    const text = await response.text();
    if (text.length <= longest) return new Response(envelop(text, shape), init);
    const standIn = new Response("null", init);
    readAside.set(standIn, await aside("answer", text, shape));
    return standIn;
  },
  onError() {
    return unreachable();
  },
};

const once: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET" && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", newKey());
    }
    return request;
  },
};

/** The typed client. Failures are thrown as ApiError; payloads are Raw. */
export const api = createClient<paths>({
  baseUrl: typeof location === "undefined" ? "" : location.origin,
  bodySerializer: (body) => (typeof body === "string" ? body : stringify(body)),
  fetch: send,
});
api.use(payloads, once);

/**
 * The data of a response; failures have already been thrown. We never request YAML, so a string is not a valid
 * response.
 */
export async function data<T>(answer: Promise<{ data?: T; response?: Response }>): Promise<Exclude<T, string>> {
  const { data: read, response } = await answer;
  return ((response && readAside.get(response)) ?? read) as Exclude<T, string>;
}

/** An idempotency key for one attempt. crypto.randomUUID is missing on plain http. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

const keys = new WeakMap<object, string>();

/** Headers for a mutation: the same variables are the same attempt, so retrying after a lost response is safe. */
export function attempt(variables: object): { "Idempotency-Key": string } {
  let key = keys.get(variables);
  if (key === undefined) {
    key = newKey();
    keys.set(variables, key);
  }
  return { "Idempotency-Key": key };
}

/** Headers for saving a document over a version, 0 for none: the server refuses if another one is in force. */
export const replaces = (version: number | undefined): { "If-Match"?: string } =>
  version === undefined ? {} : { "If-Match": `"${version}"` };
