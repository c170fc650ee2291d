import { cleanup, fireEvent, screen, act as settle, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { Approval } from "../api/types";
import { grace, graceMs, setUndo } from "../lib/undo";
import { InboxPage } from "./InboxPage";
import { forgetKept } from "./kept";
import { type FakeServer, renderAt, someApproval } from "./testing";
import { forgetPlace } from "./useInbox";
import { readable } from "./useSettling";

// The whole inbox on a screen without layout, for tests.

let screenKind: "phone" | "middle" | "wide" = "middle";
export const onScreen = (kind: typeof screenKind) => {
  screenKind = kind;
};

/** Rows that others settled stay for as long as the test takes, or another time. */
export const keepSettled = (ms = 3_600_000) => {
  readable.othersMs = ms;
};

/** Call at the top of a test file: each test starts with a medium screen, and undo on, for as long as it takes. */
export function onFakeScreen(): void {
  const size = { configurable: true, get: () => 700 };
  const { othersMs } = readable;
  beforeEach(() => {
    screenKind = "middle";
    grace.ms = 3_600_000;
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("min-width") ? screenKind === "wide" : screenKind === "phone",
      addEventListener: () => {},
      removeEventListener: () => {},
    }));
    // There is no layout here: every element is 700 px high, and its content much higher.
    Object.defineProperty(HTMLElement.prototype, "clientHeight", size);
    Object.defineProperty(HTMLElement.prototype, "clientWidth", size);
    Object.defineProperty(HTMLElement.prototype, "scrollHeight", { configurable: true, get: () => 6_000_000 });
  });
  afterEach(() => {
    cleanup(); // before the server is removed
    vi.unstubAllGlobals();
    setUndo(true);
    grace.ms = graceMs;
    readable.othersMs = othersMs;
    forgetPlace();
    forgetKept();
    sessionStorage.clear();
  });
}

export const many = (n: number, part: (i: number) => Partial<Approval> = () => ({})) =>
  Array.from({ length: n }, (_, i) => someApproval({ id: `apr_${i}`, run: `run_${i}`, title: `Row ${i}`, ...part(i) }));

export async function open(server: FakeServer, search = "") {
  vi.stubGlobal("fetch", server.fetch);
  const view = await settle(async () => renderAt(`/inbox${search}`, { inbox: InboxPage }));
  return view;
}
/** Like a browser: Enter on a link is a click, unless the key was handled. */
export const press = (key: string, more: object = {}) =>
  settle(async () => {
    const target = document.activeElement ?? document.body;
    const taken = !fireEvent.keyDown(target, { key, ...more });
    if (key === "Enter" && !taken && target.matches("a,button")) fireEvent.click(target);
  });
export const pane = () => screen.getByRole("complementary", { name: "The approval at the cursor" });
/** Approves by key, once the pane shows everything. An update makes keys inert for a moment: then the key comes again. */
export async function approve(): Promise<void> {
  const id = cursor() ?? "";
  await waitFor(async () => {
    const button = within(pane()).getByRole<HTMLButtonElement>("button", { name: /^Approve/ });
    expect(button.disabled).toBe(false);
    await press("a");
    expect(cursor() !== id || !button.isConnected || /Approving/.test(row(id)?.textContent ?? "")).toBe(true);
  });
}
export const rows = () => [...document.querySelectorAll<HTMLElement>("[data-row]")];
export const row = (id: string) => document.querySelector<HTMLElement>(`[data-row="${id}"]`);
export const cursor = () => document.querySelector("a[aria-current]")?.closest("[data-row]")?.getAttribute("data-row");
export const shown = (text: string) => waitFor(() => expect(document.body.textContent).toContain(text));
