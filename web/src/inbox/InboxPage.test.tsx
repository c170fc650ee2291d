import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fireEvent, screen, act as settle, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Approval } from "../api/types";
import { setUndo } from "../lib/undo";
import { prepareInbox } from ".";
import { InboxPage } from "./InboxPage";
import { FakeServer, problemAnswer, renderAt, someApproval } from "./testing";
import {
  approve,
  cursor,
  keepSettled,
  many,
  onFakeScreen,
  onScreen,
  open,
  press,
  row,
  rows,
  shown,
} from "./testingPage";
import { isNew } from "./useInboxRows";

onFakeScreen();

describe("the list", () => {
  it("holds 100,000 approvals in a few rows", async () => {
    const server = new FakeServer(many(100_000));
    await open(server);
    await shown("Row 3");
    await waitFor(() => expect(rows().length).toBeGreaterThan(10));
    expect(rows().length).toBeLessThanOrEqual(40);
    await shown("At least 10,000 decisions waiting");
    await waitFor(() => expect(document.title).toBe("(10,000+) Inbox · Assent"));
    const list = screen.getByRole("list", { name: /Waiting for a decision/ });
    expect(list.style.height).toBe(`${10_000 * 64}px`);
    const scroller = list.parentElement as HTMLElement;
    const drawn = () => document.querySelectorAll("li[aria-posinset]").length;
    // Far away there is at first what can be seen, and what lies around it once the scrolling rests.
    await settle(async () => {
      scroller.scrollTop = 64 * 5000;
      fireEvent.scroll(scroller);
      expect(drawn()).toBe(Math.ceil(700 / 64));
    });
    await shown("Row 5003");
    await waitFor(() => expect(drawn()).toBe(Math.ceil(700 / 64) + 12));
    expect(row("apr_5003")?.getAttribute("aria-posinset")).toBe("5004");
  });

  it("narrows by the address", async () => {
    const server = new FakeServer(many(6, (i) => ({ risk: { level: i < 2 ? "high" : "low", reasons: [] } })));
    const { router } = await open(server, "?risk=high");
    await shown("2 decisions for your filter");
    expect(rows()).toHaveLength(2);
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Remove the filter High risk" })));
    await shown("6 decisions waiting");
    expect(router.view.address.search).toEqual({});
  });

  it("takes back a filter or an order by going back, and begins each list anew", async () => {
    const server = new FakeServer(many(6, (i) => ({ risk: { level: i < 2 ? "high" : "low", reasons: [] } })));
    const { router, history } = await open(server);
    await shown("6 decisions waiting");
    await press("j");
    await press("x");
    expect(await screen.findByText("1 selected")).toBeTruthy();
    await settle(async () => void fireEvent.click(await screen.findByRole("button", { name: /^High/ })));
    await shown("2 decisions for your filter");
    expect([cursor(), screen.queryByText("1 selected")]).toEqual([undefined, null]);
    await settle(
      async () => void fireEvent.change(screen.getByRole("combobox", { name: "Order" }), { target: { value: "age" } }),
    );
    expect(router.view.address.search).toEqual({ risk: "high", sort: "age" });
    await press("j");
    await press("x");
    await settle(async () => history.go(-1));
    expect(router.view.address.search).toEqual({ risk: "high" });
    expect([cursor(), screen.queryByText("1 selected")]).toEqual([undefined, null]);
    await settle(async () => history.go(-1));
    await shown("6 decisions waiting");
    expect(router.view.address).toMatchObject({ path: "/inbox", search: {} });
  });

  it("offers filters from what exists, by keyboard", async () => {
    const { router } = await open(new FakeServer(many(3)));
    await shown("Row 1");
    await press("/");
    const box = screen.getByRole("combobox", { name: "Filter" });
    expect(document.activeElement).toBe(box);
    await settle(async () => void fireEvent.change(box, { target: { value: "payments" } }));
    await waitFor(() => expect(within(screen.getByRole("listbox")).getAllByRole("option")).toHaveLength(2)); // and a search
    await press("Enter");
    expect(router.view.address.search).toEqual({ workflow: "payments" });
    await shown("Your filter hides 3");
  });
});

describe("nothing to show", () => {
  it("is all clear, with the last decision", async () => {
    const outcome = {
      status: "approved",
      act: "approve",
      by: "Maria",
      at: "2026-11-15T09:30:00Z",
    } as Approval["outcome"];
    await open(new FakeServer([someApproval({ id: "old", title: "Old one", status: "approved", outcome })]));
    await shown("All clear");
    await shown("Maria approved this (“Old one”)");
  });

  it("is the filter's doing, which can be cleared", async () => {
    await open(new FakeServer(many(12)), "?risk=critical");
    await shown("Your filter hides 12");
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Clear the filter" })));
    await shown("Row 3");
  });

  it("is unknown when the connection is lost", async () => {
    const server = new FakeServer([]);
    await open(server);
    await shown("All clear");
    server.down = true;
    server.breakStreams();
    await waitFor(() =>
      expect(screen.getByRole("heading", { name: /^Connection lost since \d\d:\d\d$/ })).toBeTruthy(),
    );
  });

  it("is unknown for the filter alone, when the connection is lost with one", async () => {
    const server = new FakeServer(many(3));
    await open(server, "?risk=critical");
    await shown("Your filter hides 3");
    server.down = true;
    server.breakStreams();
    await shown("With this filter nothing was waiting then (without it: 3)");
  });

  it("says that rows may be old when the connection is lost", async () => {
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    server.down = true;
    server.breakStreams();
    await shown("What is shown may be old");
    expect(rows()).toHaveLength(2);
  });
});

describe("triage by keyboard", () => {
  it("moves, chooses ranges and clears", async () => {
    await open(new FakeServer(many(8)));
    await shown("Row 1");
    await press("j");
    expect(cursor()).toBe("apr_0");
    expect(document.activeElement?.closest("[data-row]")).toBe(row("apr_0"));
    await press("j");
    await press("x");
    await press("ArrowDown");
    await press("j");
    await press("X", { shiftKey: true });
    expect(await screen.findByText("3 selected")).toBeTruthy();
    await press("k");
    expect(cursor()).toBe("apr_2");
    await press("Escape");
    expect(screen.queryByText("3 selected")).toBeNull();
  });

  it("opens the approval, and opens it to be changed", async () => {
    const { router } = await open(new FakeServer(many(3)));
    await shown("Row 1");
    await press("j");
    await press("e");
    expect(router.view.address.path).toBe("/approvals/apr_0");
    expect(router.view.address.search).toEqual({ edit: "true" });
  });

  it("holds an approval, takes it back with Z, and sends it when the page is hidden", async () => {
    onScreen("wide");
    const server = new FakeServer(many(3));
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    expect(row("apr_0")?.textContent).toMatch(/Approving in \d s/);
    expect(cursor()).toBe("apr_1");
    await press("z");
    expect(row("apr_0")?.textContent).not.toContain("Approving");
    expect(cursor()).toBe("apr_0");
    expect(server.sent).toEqual([]);
    await approve();
    await settle(async () => void window.dispatchEvent(new Event("pagehide")));
    await waitFor(() => expect(server.sent).toHaveLength(1));
    expect(server.sent[0]).toMatchObject({ path: "/approvals/apr_0/decisions", body: { act: "approve", version: 1 } });
    expect(server.sent[0]?.key).toBeTruthy();
    await waitFor(() => expect(row("apr_0")).toBeNull());
    expect(cursor()).toBe("apr_1");
  });

  it("sends what is held when the inbox is left", async () => {
    onScreen("wide");
    const server = new FakeServer(many(3));
    const { router } = await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    await settle(() => router.navigate({ to: "/approvals/$id", params: { id: "apr_2" } } as never));
    await waitFor(() => expect(server.sent).toHaveLength(1));
  });

  it("asks why before it rejects", async () => {
    setUndo(false);
    const server = new FakeServer(many(3));
    await open(server);
    await shown("Row 1");
    await press("j");
    await press("r");
    const dialog = await screen.findByRole("dialog", { name: "Reject" });
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Reject/ })));
    expect(within(dialog).getByText(/Enter a reason/)).toBeTruthy();
    expect(server.sent).toEqual([]);
    await settle(
      async () => void fireEvent.change(within(dialog).getByLabelText("Why"), { target: { value: "too high" } }),
    );
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Reject/ })));
    await waitFor(() => expect(server.sent[0]?.body).toEqual({ act: "reject", comment: "too high", version: 1 }));
  });

  it("keeps a reason that was begun, for that approval", async () => {
    await open(new FakeServer(many(3)));
    await shown("Row 1");
    await press("j");
    await press("r");
    const dialog = await screen.findByRole("dialog", { name: "Reject" });
    await settle(
      async () => void fireEvent.change(within(dialog).getByLabelText("Why"), { target: { value: "too h" } }),
    );
    await press("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await press("j");
    await press("r");
    expect((await screen.findByLabelText<HTMLTextAreaElement>("Why")).value).toBe("");
    await press("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await press("k");
    await press("r");
    expect((await screen.findByLabelText<HTMLTextAreaElement>("Why")).value).toBe("too h");
  });

  it("never decides anything critical, nor what needs an answer of its own", async () => {
    const server = new FakeServer([
      someApproval({ id: "a", title: "Critical one", risk: { level: "critical" } }),
      someApproval({ id: "b", title: "A choice", kind: "choice", acts: ["choose"] }),
    ]);
    const { router } = await open(server);
    await shown("A choice");
    await press("j");
    await press("a");
    await waitFor(() => expect(router.view.address.path).toBe("/approvals/a"));
    expect(server.sent).toEqual([]);
  });

  it("comments without deciding", async () => {
    const server = new FakeServer(many(2));
    await open(server);
    await shown("Row 1");
    await press("j");
    await press("c");
    const dialog = await screen.findByRole("dialog", { name: "Comment" });
    await settle(
      async () => void fireEvent.change(within(dialog).getByLabelText("Comment"), { target: { value: "is it so?" } }),
    );
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Comment/ })));
    await waitFor(() =>
      expect(server.sent[0]).toMatchObject({ path: "/approvals/apr_0/comments", body: { text: "is it so?" } }),
    );
  });
});

describe("when somebody else is faster", () => {
  it("the row says who, and goes", async () => {
    onScreen("wide");
    setUndo(false);
    const server = new FakeServer(many(3));
    server.refuse = (id) => {
      server.change(id, {
        status: "approved",
        acts: [],
        outcome: {
          status: "approved",
          act: "approve",
          by: "Maria",
          at: new Date().toISOString(),
        } as Approval["outcome"],
      });
      return problemAnswer("already_decided", 409, {
        decided_by: "Maria",
        act: "approve",
        decided_at: new Date().toISOString(),
      });
    };
    keepSettled();
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    await waitFor(() => expect(row("apr_0")?.textContent).toContain("Maria approved this first"));
    expect(cursor()).toBe("apr_1");
    keepSettled(0);
    await press("j");
    await waitFor(() => expect(row("apr_0")).toBeNull());
    expect(cursor()).toBe("apr_2");
  });

  it("a changed approval comes back as it is now, undecided", async () => {
    onScreen("wide");
    setUndo(false);
    const server = new FakeServer(many(3));
    server.refuse = (id) => {
      server.change(id, { title: "Row 0, another amount", version: 5 });
      return problemAnswer("version_mismatch", 409);
    };
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    await waitFor(() => expect(row("apr_0")?.textContent).toContain("Row 0, another amount"));
    expect(row("apr_0")?.textContent).toContain("Changed since you looked");
    server.refuse = undefined;
    await press("k");
    await approve();
    await waitFor(() => expect(server.sent.at(-1)?.body).toEqual({ act: "approve", version: 5 }));
  });

  it("a held decision is not sent, and others' decisions show up live", async () => {
    onScreen("wide");
    keepSettled();
    const server = new FakeServer(many(3));
    await open(server);
    await shown("Row 1");
    await press("j");
    await approve();
    await settle(async () => server.settle("apr_0", "Maria", "rejected"));
    await waitFor(() => expect(row("apr_0")?.textContent).toContain("Maria rejected this first"));
    await settle(async () => server.settle("apr_2", "Bob"));
    await waitFor(() => expect(row("apr_2")?.textContent).toContain("Bob approved this"));
    expect(server.sent).toEqual([]);
  });
});

it("new is what was asked since, to the last digit of the time", () => {
  const known = { at: Date.parse("2026-11-15T12:00:00.12Z"), ids: new Set(["a"]) };
  const at = (id: string, requested_at: string) => isNew(someApproval({ id, requested_at }), known);
  expect(at("b", "2026-11-15T12:00:00.123Z")).toBe(true);
  expect(at("b", "2026-11-15T12:00:00.12Z")).toBe(true);
  expect(at("a", "2026-11-15T12:00:00.12Z")).toBe(false);
  expect(at("b", "2026-11-15T12:00:00.1Z")).toBe(false);
});

describe("read ahead", () => {
  it("is drawn at once, with one request, the one that the server lets browsers make early", async () => {
    const server = new FakeServer(many(3));
    vi.stubGlobal("fetch", server.fetch);
    await prepareInbox("");
    renderAt("/inbox", { inbox: InboxPage });
    await shown("Row 1");
    await shown("3 decisions waiting");
    const lists = server.asked.filter((one) => one.includes("sort=priority"));
    expect(lists).toHaveLength(1);
    const early = readFileSync(join(process.cwd(), "first.go"), "utf8");
    expect(early).toContain(`"${lists[0]?.replace("GET ", "/api/v1")}"`);
  });

  it("is read again where another filter is wanted", async () => {
    const server = new FakeServer(many(3));
    vi.stubGlobal("fetch", server.fetch);
    await prepareInbox("?sort=age");
    await open(server);
    await shown("Row 1");
    expect(server.asked.filter((one) => one.includes("sort=priority"))).toHaveLength(1);
  });

  it("shows what came between the list and the count of the newest", async () => {
    const server = new FakeServer(many(3));
    vi.stubGlobal("fetch", server.fetch);
    await prepareInbox("");
    server.approvals = [
      someApproval({ id: "new", title: "Brand new", requested_at: "2026-11-15T12:00:00Z" }),
      ...server.approvals,
    ];
    renderAt("/inbox", { inbox: InboxPage });
    await shown("Brand new");
  });

  it("does not go on showing what was settled between the list and the first word from the server", async () => {
    const server = new FakeServer(many(3));
    vi.stubGlobal("fetch", server.fetch);
    await prepareInbox("");
    server.approvals = server.approvals.filter((a) => a.id !== "apr_1");
    renderAt("/inbox", { inbox: InboxPage });
    await waitFor(() => expect(rows().map((one) => one.dataset.row)).toEqual(["apr_0", "apr_2"]));
  });
});

describe("new arrivals", () => {
  const late = someApproval({ id: "new", title: "Brand new", requested_at: "2026-11-15T12:00:00Z" });

  it("come by themselves while nobody works", async () => {
    const server = new FakeServer(many(3));
    await open(server);
    await shown("3 decisions waiting");
    server.approvals = [late, ...server.approvals];
    await settle(async () => server.tell("approval.needed", late));
    await shown("Brand new");
    expect(rows()[0]?.dataset.row).toBe("new");
  });

  it("wait behind a pill while somebody does", async () => {
    const server = new FakeServer(many(3));
    await open(server);
    await shown("3 decisions waiting");
    await press("j");
    server.approvals = [late, ...server.approvals];
    await settle(async () => server.tell("approval.needed", late));
    const pill = await screen.findByRole("button", { name: /1 new/ });
    expect(row("new")).toBeNull();
    expect(cursor()).toBe("apr_0");
    await settle(async () => void fireEvent.click(pill));
    await waitFor(() => expect(rows()[0]?.dataset.row).toBe("new"));
    expect(screen.queryByRole("button", { name: /1 new/ })).toBeNull();
  });
});
