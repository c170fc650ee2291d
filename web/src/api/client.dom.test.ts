import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { raw } from "../json";
import { api, attempt, data } from "./client";
import { ApiError } from "./error";

let asked: { method: string; url: string; body: string; key: string | null }[] = [];
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push({
      method: request.method,
      url: request.url,
      body: await request.text(),
      key: request.headers.get("Idempotency-Key"),
    });
    return answer();
  });
});
afterEach(() => void vi.unstubAllGlobals());

const json = (text: string, status = 200, type = "application/json") =>
  new Response(text, { status, headers: { "Content-Type": type } });
const path = { id: "apr_1" };

describe("the client", () => {
  it("keeps payloads as they came", async () => {
    answer = () => json('{"id":"apr_1","version":2,"proposed":{"n":9007199254740993,"amount":0.10},"show":null}');
    const approval = await data(api.GET("/api/v1/approvals/{id}", { params: { path } }));
    expect(approval.proposed).toEqual({ $json: '{"n":9007199254740993,"amount":0.10}' });
    expect(approval.show).toBeNull();
    expect(approval.version).toBe(2);
  });

  it("sends payloads as they are, with a key that names the attempt", async () => {
    answer = () => json('{"id":"apr_1"}');
    const decision = { act: "modify", version: 2, changes: raw('{"amount":0.10,"n":9007199254740993}') } as const;
    const send = (variables: object) =>
      data(
        api.POST("/api/v1/approvals/{id}/decisions", { params: { path, header: attempt(variables) }, body: decision }),
      );
    await send(decision);
    await send(decision);
    await send({ ...decision });
    expect(asked[0]?.body).toBe('{"act":"modify","version":2,"changes":{"amount":0.10,"n":9007199254740993}}');
    expect(asked[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(asked[1]?.key).toBe(asked[0]?.key);
    expect(asked[2]?.key).not.toBe(asked[0]?.key);
  });

  it("gives every change a key, and no question one", async () => {
    answer = () => json('{"results":[]}');
    await data(api.POST("/api/v1/approvals/batch", { body: { ids: ["apr_1"], act: "approve" } }));
    await data(api.GET("/api/v1/approvals"));
    expect(asked[0]?.key).toBeTruthy();
    expect(asked[1]?.key).toBeNull();
  });

  it("throws what the server refused", async () => {
    answer = () =>
      json(
        '{"code":"already_decided","title":"Already decided","detail":"ann approved this","hint":"reload","errors":[],"decided_by":"ann","decided_at":"2026-01-01T00:00:00Z","act":"approve"}',
        409,
        "application/problem+json",
      );
    const error = await data(api.GET("/api/v1/approvals/{id}", { params: { path } })).catch((e) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "already_decided", status: 409, hint: "reload", passing: false });
    expect(error.decided).toEqual({ by: "ann", at: "2026-01-01T00:00:00Z", act: "approve" });
  });

  it("tells a broken connection from a refusal", async () => {
    answer = () => Promise.reject(new TypeError("failed to fetch"));
    const error = await data(api.GET("/api/v1/me")).catch((e) => e);
    expect(error).toMatchObject({ code: "unreachable", passing: true });
    answer = () => json("<html>Bad gateway</html>", 502, "text/html");
    expect(await data(api.GET("/api/v1/me")).catch((e) => e)).toMatchObject({
      code: "unavailable",
      status: 502,
      passing: true,
    });
  });
});
