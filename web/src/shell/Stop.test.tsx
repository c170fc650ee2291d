import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { problem, serve, visit } from "../../test/page";
import { usePolicy } from "../api/policy";
import { keys } from "../api/queries";
import { StopBar } from "./StopBar";
import { StopButton } from "./StopButton";
import StopDialog from "./StopDialog";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const server = (permissions: string[], stop: object, answer: () => unknown = () => ({})) =>
  serve({
    "GET /api/v1/me": () => ({ name: "ann", kind: "person", roles: [], permissions, local: false }),
    "GET /api/v1/policy": () => ({ emergency_stop: stop }),
    "POST /api/v1/policy/emergency_stop": answer,
  });
const on = { on: true, reason: "Strange refunds", by: "max", at: "2026-11-15T09:00:00Z" };
const off = { on: false, reason: "", by: "" };
const stopsOf = (log: ReturnType<typeof serve>) =>
  log.filter((s) => s.method === "POST").map((s) => JSON.parse(s.body));

function Around() {
  return (
    <>
      <StopButton onOpen={() => {}} />
      <StopBar onOpen={() => {}} />
      <p>drawn</p>
    </>
  );
}

it("is there for administrators only", async () => {
  server(["view", "admin"], off);
  visit(Around, "/inbox", "/inbox");
  expect(await screen.findByRole("button", { name: "Emergency stop" })).toBeTruthy();
  cleanup();
  const log = server(["view", "decide"], on);
  visit(Around, "/inbox", "/inbox");
  await screen.findByText(/Emergency stop is on/);
  expect(screen.queryAllByRole("button")).toEqual([]);
  expect(log.some((s) => s.path === "/api/v1/policy")).toBe(true);
});

it("shows that it is on, and why", async () => {
  server(["view", "admin"], on);
  visit(Around, "/inbox", "/inbox");
  expect(await screen.findByRole("button", { name: "Stopped" })).toBeTruthy();
  expect(screen.getByRole("status").textContent).toContain("Reason: Strange refunds · max");
  expect(screen.getByRole("button", { name: "Turn off…" })).toBeTruthy();
});

it("wants a reason, sends it, and says what the server refuses", async () => {
  let answer: () => unknown = () => problem(403, "forbidden", { detail: "not you" });
  const log = server(["view", "admin"], off, () => answer());
  const onClose = vi.fn();
  visit(() => <StopDialog onClose={onClose} />, "/inbox", "/inbox");
  const dialog = within(await screen.findByRole("dialog", { name: "Emergency stop" }));
  const send = dialog.getByRole("button", { name: /Stop automatic approval/ });
  fireEvent.click(send);
  expect(dialog.getByText(/Enter a reason/)).toBeTruthy();
  fireEvent.change(dialog.getByLabelText("Why"), { target: { value: "x".repeat(1001) } });
  fireEvent.click(send);
  expect(dialog.getByText("This is too long.")).toBeTruthy();
  expect(stopsOf(log)).toEqual([]);
  fireEvent.change(dialog.getByLabelText("Why"), { target: { value: " odd " } });
  fireEvent.click(send);
  await dialog.findByText("not you");
  expect(onClose).not.toHaveBeenCalled();
  answer = () => on;
  fireEvent.keyDown(dialog.getByLabelText("Why"), { key: "Enter", ctrlKey: true });
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(stopsOf(log).at(-1)).toEqual({ on: true, reason: "odd" });
});

it("does not do what somebody else has done meanwhile", async () => {
  const log = server(["view", "admin"], on);
  const { client } = visit(Opened, "/inbox", "/inbox");
  const dialog = within(await screen.findByRole("dialog", { name: "Turn the emergency stop off?" }));
  expect(dialog.getByText(/Strange refunds/)).toBeTruthy();
  act(() => void client.setQueryData(keys.policy, { emergency_stop: { ...off, by: "bea" } }));
  await dialog.findByText("bea turned it off in the meantime.");
  expect(dialog.queryByRole("button", { name: /Turn off/ })).toBeNull();
  fireEvent.keyDown(dialog.getByLabelText(/Why/), { key: "Enter", ctrlKey: true });
  expect(stopsOf(log)).toEqual([]);
});

/** The dialog, opened when it is known whether the stop is on. */
function Opened() {
  const { data } = usePolicy();
  return data ? <StopDialog onClose={() => {}} /> : null;
}
