import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Approval } from "../api/types";
import { calmMs } from "./Calm";
import { Server, show, someApproval } from "./testing";

beforeEach(() => sessionStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

const button = (name: string | RegExp) => screen.getByRole("button", { name }) as HTMLButtonElement;
const byMouse = (element: Element) => fireEvent.click(element, { detail: 1 });
/** The moment in which clicks are ignored ends when the returned function is called, not earlier. */
function calmUntilTold(): () => Promise<void> {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<object, () => void>();
  vi.stubGlobal("setTimeout", (run: () => void, ms?: number, ...rest: unknown[]) => {
    if (ms !== calmMs) return setTimeout(run, ms, ...rest);
    const timer = {};
    held.set(timer, run);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout) => held.delete(timer) || clearTimeout(timer));
  return async () => {
    await waitFor(() => expect(held.size).toBeGreaterThan(0));
    act(() => {
      for (const [timer, run] of held) {
        held.delete(timer);
        run();
      }
    });
  };
}
const approved = (): Approval =>
  someApproval({
    status: "approved",
    acts: [],
    version: 4,
    outcome: { status: "approved", by: "maria", at: "2026-11-15T09:05:00Z" },
  });

describe("haste", () => {
  it("two clicks at once are one decision", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () => {
      server.approval = approved();
      return server.json(server.approval);
    };
    // Both before anything could be drawn.
    act(() => {
      const approve = button(/Approve/);
      approve.click();
      approve.click();
    });
    await screen.findByText("You approved this", { exact: false });
    expect(server.decisions).toHaveLength(1);
  });

  it("a decision that did not go through can be sent again", async () => {
    const server = new Server(someApproval());
    await show(server);
    server.answer = () => server.problem(403, "forbidden", { detail: "not you" });
    fireEvent.click(button(/Approve/));
    await screen.findByText("not you");
    fireEvent.click(button(/Approve/));
    await waitFor(() => expect(server.decisions).toHaveLength(2));
  });

  it("one may hand over and escalate after another", async () => {
    const server = new Server(someApproval({ acts: ["approve", "escalate", "delegate"] }));
    await show(server);
    server.answer = () => {
      server.approval = { ...server.approval, version: server.approval.version + 1 };
      return server.json(server.approval);
    };
    for (const [i, name] of ["Escalate", "Hand over"].entries()) {
      fireEvent.keyDown(button("More ways to answer"), { key: "Enter" });
      fireEvent.click(await screen.findByRole("menuitem", { name }));
      const dialog = within(await screen.findByRole("dialog"));
      fireEvent.change(dialog.getByLabelText("Name"), { target: { value: "carla" } });
      fireEvent.click(dialog.getByRole("button", { name: new RegExp(name) }));
      await waitFor(() => expect(server.decisions).toHaveLength(i + 1));
      await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    }
    expect(server.decisions.map((d) => d.body.version)).toEqual([3, 4]);
  });

  it("what comes to stand where Approve was takes no click for a moment, and then does", async () => {
    const passMoment = calmUntilTold();
    const server = new Server(someApproval());
    const next = vi.fn();
    await show(server, {
      after: (
        <button type="button" onClick={next}>
          Next in inbox
        </button>
      ),
    });
    // An approval that has just come is one of these things.
    byMouse(button(/Approve/));
    expect(server.decisions).toHaveLength(0);
    await passMoment();
    server.answer = () => {
      server.approval = approved();
      return server.json(server.approval);
    };
    byMouse(button(/Approve/));
    await screen.findByText("Next in inbox");
    byMouse(button("Next in inbox"));
    expect(next).not.toHaveBeenCalled();
    expect(button("Next in inbox").closest(".pointer-events-none")).not.toBeNull();
    await passMoment();
    expect(button("Next in inbox").closest(".pointer-events-none")).toBeNull();
    byMouse(button("Next in inbox"));
    expect(next).toHaveBeenCalledTimes(1);
    expect(server.decisions).toHaveLength(1);
  });
});
