import { QueryClient } from "@tanstack/react-query";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { Profiler } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { renderAt, Server, someApproval } from "../decide/testing";
import { ApprovalPage } from "./ApprovalPage";

let lostSince: number | undefined;
vi.mock("../live", () => ({ useLostSince: () => lostSince }));
afterEach(() => {
  vi.unstubAllGlobals();
  lostSince = undefined;
});

function open() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return renderAt(<ApprovalPage />, client, "/approvals/apr_1");
}

it("shows the approval under its title", async () => {
  new Server(someApproval());
  open();
  expect(await screen.findByRole("status", { name: "Loading" })).toBeTruthy();
  expect(await screen.findByRole("heading", { level: 1, name: "Pay this refund" })).toBeTruthy();
  expect(document.title).toBe("Pay this refund · Assent");
});

it("is not drawn anew when everything is read again and nothing has changed", async () => {
  new Server(someApproval());
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  let drawn = 0;
  const page = (
    <Profiler id="page" onRender={() => drawn++}>
      <ApprovalPage />
    </Profiler>
  );
  renderAt(page, client, "/approvals/apr_1");
  await screen.findByRole("button", { name: /^Approve/ });
  await waitFor(() => expect(client.getQueryCache().getAll().length).toBeGreaterThan(3));
  await waitFor(() => expect(client.isFetching()).toBe(0));
  await waitFor(() => expect(document.querySelector(".pointer-events-none")).toBeNull());
  const before = drawn;
  await act(() => client.invalidateQueries());
  expect(drawn - before).toBe(0);
});

it.each([
  [404, "not_found", "Approval not found"],
  [403, "forbidden", "You may not see this approval"],
] as const)("says so when the answer is %i", async (status, code, text) => {
  const server = new Server(someApproval());
  vi.stubGlobal("fetch", async () => server.problem(status, code));
  open();
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Go to inbox" })).toBeTruthy();
});

it("can be tried again when the server did not answer", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed to fetch")));
  open();
  expect(await screen.findByText("No connection")).toBeTruthy();
  new Server(someApproval());
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Pay this refund")).toBeTruthy();
});

it("says since when the connection is lost", async () => {
  new Server(someApproval());
  lostSince = new Date(2026, 10, 15, 14, 2).getTime();
  open();
  expect(await screen.findByText(/Connection lost since 14:02/)).toBeTruthy();
});

it("leads to the next one when this one is settled", async () => {
  const settled = someApproval({
    status: "approved",
    acts: [],
    outcome: { status: "approved", by: "bob", at: "2026-11-15T09:05:00Z" },
  });
  const server = new Server(settled);
  const next = someApproval({ id: "apr_2", title: "The next one" });
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (path.endsWith("/me")) return server.json({ name: "maria", kind: "person", roles: [], local: true });
    if (path.endsWith("/deliverables")) return server.json({ items: [], total: 0, next_cursor: "" });
    if (path.endsWith("/approvals")) return server.json({ items: [settled, next], total: 2, next_cursor: "" });
    return server.json(settled);
  });
  open();
  const link = await screen.findByRole("link", { name: /Next in inbox/ });
  expect(link.getAttribute("href")).toBe("/approvals/apr_2");
  expect(screen.getByRole("link", { name: /See the run/ }).getAttribute("href")).toBe("/runs/run_1");
});
