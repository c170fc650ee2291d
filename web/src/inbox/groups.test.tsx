import { fireEvent, screen, act as settle, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Approval } from "../api/types";
import { worthGrouping } from "./groups";
import { setGroups } from "./settings";
import { FakeServer, someApproval } from "./testing";
import { approve, many, onFakeScreen, onScreen, open, pane, press, row, rows, shown } from "./testingPage";

onFakeScreen();

/** Fifteen files that one run writes, one that stands out, and another request. */
const files = () => [
  ...many(15, (i) => ({ run: "run_w", title: `Write page ${i}`, action: tool("write_file") })),
  someApproval({ id: "out", run: "run_w", title: "Write elsewhere", action: tool("write_file") }),
  someApproval({ id: "other", run: "run_o", title: "Another request" }),
];
const tool = (name: string): Approval["action"] => ({ type: "tool_call", tool: name, digest: "sha256:1" });
const ids = () => rows().map((r) => r.getAttribute("data-row"));

describe("requests that a run asks alike", () => {
  it("are one row, and what stands out has its own", async () => {
    await open(new FakeServer(files()));
    await shown("15 × Write file");
    expect(ids()).toEqual(["apr_0", "out", "other"]);
    await shown("17 decisions waiting");
  });

  it("open to be reviewed each, and close again", async () => {
    onScreen("wide");
    await open(new FakeServer(files()));
    await shown("15 × Write file");
    await press("j");
    await press("Enter");
    await waitFor(() => expect(ids()).toContain("apr_7"));
    expect(ids().slice(0, 3)).toEqual(["apr_0", "apr_1", "apr_2"]);
    await approve();
    expect(row("apr_0")?.textContent).toMatch(/Approving in \d s/);
    await press("z");
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Show one row for them" })));
    await shown("15 × Write file");
    expect(ids()).toEqual(["apr_0", "out", "other"]);
  });

  it("are approved together, with a list of what is", async () => {
    onScreen("wide");
    const server = new FakeServer(files());
    await open(server);
    await shown("15 × Write file");
    await press("j");
    await within(pane()).findByText("Write page 14");
    await press("a");
    const dialog = await screen.findByRole("dialog", { name: "Approve 15" });
    for (const text of ["Write page 0", "Write page 14"]) expect(within(dialog).getByText(text)).toBeTruthy();
    expect(server.sent).toEqual([]);
    await settle(async () => void fireEvent.click(within(dialog).getByRole("button", { name: /^Approve 15/ })));
    await shown("15 approved");
    expect(server.sent[0]?.body.ids).toEqual(many(15).map((a) => a.id));
    await waitFor(() => expect(ids()).toEqual(["out", "other"]));
  });

  it("lose the one that somebody else decides", async () => {
    const server = new FakeServer(files());
    await open(server);
    await shown("15 × Write file");
    await settle(async () => server.settle("apr_3", "Maria"));
    await shown("14 × Write file");
    await settle(async () => server.settle("apr_0", "Maria"));
    await waitFor(() => expect(ids()).toEqual(["apr_1", "out", "other"]));
    await shown("13 × Write file");
  });

  it("have a row each for those who want that", async () => {
    await open(new FakeServer(files()));
    await shown("15 × Write file");
    await settle(async () => void fireEvent.click(screen.getByRole("button", { name: "Grouped" })));
    await waitFor(() => expect(ids()).toContain("apr_7"));
    expect(screen.getByRole("button", { name: "Group" }).getAttribute("aria-pressed")).toBe("false");
    setGroups(true);
  });
});

it("groups are shown only where they make the list shorter, and where the server groups all of it", () => {
  const alike = (n: number) => many(n, () => ({ run: "run_1" }));
  expect(worthGrouping([], 0)).toBe(false);
  expect(worthGrouping(many(50), 50)).toBe(false);
  expect(worthGrouping(alike(2), 2)).toBe(false);
  expect(worthGrouping(alike(3), 3)).toBe(true);
  expect(worthGrouping([...alike(3), ...many(40)], 43)).toBe(false);
  expect(worthGrouping(alike(100), 1000)).toBe(true);
  expect(worthGrouping(alike(100), 1001)).toBe(false);
});
