import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serve } from "../../test/page";
import { renew, turnOff } from "./device";
import { device, setDevice } from "./settings";

/** A browser with push messages that does one thing after the other under a lock, as browsers do. */
function browser() {
  let last: Promise<unknown> = Promise.resolve();
  const subscribed = {
    options: { applicationServerKey: new Uint8Array([0]).buffer },
    toJSON: () => ({ endpoint: "https://push.example/1", keys: { p256dh: "a", auth: "b" } }),
    unsubscribe: async () => true,
  };
  const registration = { pushManager: { getSubscription: async () => subscribed, subscribe: async () => subscribed } };
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("Notification", { permission: "granted" });
  vi.stubGlobal("navigator", {
    userAgent: "",
    serviceWorker: {
      register: async () => registration,
      ready: registration,
      getRegistration: async () => registration,
    },
    locks: {
      request: (_: string, act: () => Promise<void>) => {
        const turn = last.then(act);
        last = turn.catch(() => {});
        return turn;
      },
    },
  });
}

beforeEach(browser);
afterEach(() => {
  setDevice(undefined);
  vi.unstubAllGlobals();
});

it("stays off when it is turned off while the page is still renewing it", async () => {
  const browsers = new Set(["push_1"]);
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  serve({
    "GET /api/v1/push/key": () => ({ key: "AA" }),
    "PUT /api/v1/me/push": async () => {
      await arrived; // a slow server
      browsers.add("push_1");
      return { id: "push_1" };
    },
    "DELETE /api/v1/me/push": ({ query }) => {
      browsers.delete(query.get("id") ?? "");
      return {};
    },
  });
  setDevice({ id: "push_1", person: "ann" });
  const renewed = renew("ann");
  const off = turnOff();
  setTimeout(arrive, 20);
  await Promise.all([renewed, off]);
  expect([...browsers]).toEqual([]);
  expect(device()).toBeUndefined();
});
