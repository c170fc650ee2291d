import { afterEach, describe, expect, it, vi } from "vitest";
import { send } from "./early";

const href = "http://localhost/api/v1/approvals?limit=100";
const early = (text: string, at = href) => ({ href: at, answer: Promise.resolve(new Response(text)) });
const later = () => vi.fn(async () => new Response("later"));

afterEach(() => {
  vi.unstubAllGlobals();
  window.assentEarly = undefined;
});

describe("an early answer", () => {
  it("serves the same question, once", async () => {
    const fetch = later();
    vi.stubGlobal("fetch", fetch);
    window.assentEarly = [early("early")];
    expect(await (await send(new Request("http://localhost/api/v1/me"))).text()).toBe("later");
    expect(await (await send(new Request(href))).text()).toBe("early");
    expect(await (await send(new Request(href))).text()).toBe("later");
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it("is found among others", async () => {
    vi.stubGlobal("fetch", later());
    const other = "http://localhost/api/v1/me";
    window.assentEarly = [early("list"), early("me", other)];
    expect(await (await send(new Request(other))).text()).toBe("me");
    expect(await (await send(new Request(other))).text()).toBe("later");
    expect(await (await send(new Request(href))).text()).toBe("list");
  });

  it("is asked for again where it failed", async () => {
    vi.stubGlobal("fetch", later());
    const answer = Promise.reject(new TypeError("no network"));
    answer.catch(() => {});
    window.assentEarly = [{ href, answer }];
    expect(await (await send(new Request(href))).text()).toBe("later");
  });

  it("is never one to a change", async () => {
    vi.stubGlobal("fetch", later());
    window.assentEarly = [early("early")];
    expect(await (await send(new Request(href, { method: "POST" }))).text()).toBe("later");
  });
});
