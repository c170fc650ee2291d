import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problem, serve, visit } from "../../test/page";
import { switched } from "../api";
import { raw } from "../json";
import { AutomationPage } from "./AutomationPage";

afterEach(() => void vi.unstubAllGlobals());

const document = (kind: string, name: string, more: object) => ({
  id: "doc_1",
  name,
  version: 1,
  published: true,
  digest: "sha256:1",
  by: "ann",
  at: "2026-11-15T09:00:00Z",
  status: "published",
  definition: { [kind]: name, workflow: "order", enabled: true },
  yaml: "",
  workflow: "order",
  enabled: true,
  ...more,
});

const delivery = {
  id: "hook_1",
  at: "2026-11-15T09:00:00Z",
  last_at: "2026-11-15T09:01:00Z",
  times: 3,
  outcome: "started",
  run: "run_1",
  sender_id: "msg_1",
  payload: { data: { order: { id: "A-1" } } },
};
const failed = { ...delivery, id: "hook_2", outcome: "failed", run: undefined, cause: "id is missing", times: 1 };
const gone = { ...delivery, id: "hook_3", payload: undefined, removed: true };

const trigger = (more: object = {}) =>
  document("trigger", "orders", {
    verify: "standard",
    path: "/api/v1/hooks/orders",
    deliveries: [delivery],
    refused: null,
    ...more,
  });

const schedule = (more: object = {}) =>
  document("schedule", "nightly", {
    next: ["2026-11-16T02:00:00Z", "2026-11-17T02:00:00Z"],
    last: { at: "2026-11-15T02:00:00Z", outcome: "skipped", cause: "the previous run had not ended" },
    ...more,
  });

function show(path = "/automation", more: Record<string, () => unknown> = {}) {
  const sent = serve({
    "GET /api/v1/me": () => ({ name: "ann", roles: ["admin"], permissions: ["view", "start", "admin"] }),
    "GET /api/v1/schedules": () => ({ items: [schedule()], next_cursor: "", total: 1 }),
    "GET /api/v1/triggers": () => ({ items: [trigger()], next_cursor: "", total: 1 }),
    "GET /api/v1/triggers/orders": () =>
      trigger({
        deliveries: [failed, delivery, gone],
        refused: { count: 14, at: "2026-11-15T09:00:00Z", cause: "the signature does not match" },
      }),
    ...more,
  } as never);
  return { sent, ...visit(AutomationPage, "/automation", path) };
}

describe("the page", () => {
  it("lists schedules and triggers with what became of the last time", async () => {
    show();
    const schedules = within(await screen.findByRole("list", { name: "Schedules" }));
    await schedules.findByText("nightly");
    schedules.getByText(/Skipped/);
    const triggers = within(screen.getByRole("list", { name: "Triggers" }));
    await triggers.findByText("orders");
    triggers.getByText("Standard Webhooks");
    triggers.getByText(/\/api\/v1\/hooks\/orders$/);
  });

  it("says so when there are none", async () => {
    const none = () => ({ items: [], next_cursor: "", total: 0 });
    show("/automation", { "GET /api/v1/schedules": none, "GET /api/v1/triggers": none });
    await screen.findByText("No schedules");
    await screen.findByText("No triggers");
  });

  it("offers nothing to people who may not change or start anything", async () => {
    show("/automation?trigger=orders", {
      "GET /api/v1/me": () => ({ name: "vic", roles: ["viewer"], permissions: ["view"] }),
    });
    await screen.findByText(/14 refused/);
    for (const name of [/^Replay/, /^Run now/, /^Disable/]) expect(screen.queryByRole("button", { name })).toBeNull();
  });
});

describe("deliveries", () => {
  it("show what came and what became of it, and are replayed", async () => {
    const { sent } = show("/automation?trigger=orders", {
      "POST /api/v1/triggers/orders/deliveries/hook_2/replay": () =>
        problem(422, "invalid", { detail: "the input is not valid" }),
    });
    await screen.findByText(/14 refused since the server started/);
    screen.getByText("id is missing");
    expect(screen.getAllByText(/arrived 3 times/)).toHaveLength(2);
    screen.getByText("Its content was deleted.");
    expect(screen.getAllByRole("button", { name: /^Replay/ })).toHaveLength(2);
    const [payload] = screen
      .getAllByRole("button", { name: /^Payload of the delivery of \w+, \d+ \w+ 2026/ })
      .slice(-1);
    fireEvent.click(payload as HTMLElement);
    await screen.findByText('"A-1"');
    fireEvent.click(screen.getAllByRole("button", { name: /^Replay the delivery of/ })[0] as HTMLElement);
    await screen.findByText(/the input is not valid/);
    expect(sent.some((r) => r.method === "POST" && r.path.endsWith("/deliveries/hook_2/replay"))).toBe(true);
  });
});

describe("the switch", () => {
  const sentFor = async (yaml: string) => {
    const { sent } = show("/automation", {
      "GET /api/v1/schedules": () => ({ items: [schedule({ yaml })], next_cursor: "", total: 1 }),
      "PUT /api/v1/schedules/nightly": () => schedule(),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Disable nightly" }));
    await waitFor(() => expect(sent.some((r) => r.method === "PUT")).toBe(true));
    return sent.find((r) => r.method === "PUT")?.body;
  };

  it("sends the document as it is written, with another value of enabled", async () => {
    expect(await sentFor("schedule: nightly # at night\nworkflow: order\nenabled: true # for now\n")).toBe(
      "schedule: nightly # at night\nworkflow: order\nenabled: false # for now\n",
    );
  });

  it("sends its values if the text cannot be edited", async () => {
    expect(await sentFor("schedule: [")).toBe('{"schedule":"nightly","workflow":"order","enabled":false}');
  });

  it("keeps every digit", () => {
    const doc = raw('{"schedule":"a","input":{"n":12345678901234567890.10},"enabled":true}');
    expect(switched(doc, false)).toBe('{"schedule":"a","input":{"n":12345678901234567890.10},"enabled":false}');
  });
});
