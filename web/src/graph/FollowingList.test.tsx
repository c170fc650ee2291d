import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FollowingList, reveal } from "./FollowingList";
import { RunGraph } from "./RunGraph";
import { aDoneStep, aRun, aStep, at, show } from "./testing";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const rowHeight = 50;

/** Boxes without a browser have no size: rows are 50 px high, one below the other, in a box of 300 px. */
function measured(): void {
  const rowOf = (e: Element) => [...(e.parentElement?.children ?? [])].indexOf(e);
  const isRow = (e: Element) => e.tagName === "LI";
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(300);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(rowHeight);
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    const scrolled = this.closest<HTMLElement>(".overflow-y-auto")?.scrollTop ?? 0;
    return { top: isRow(this) ? rowOf(this) * rowHeight - scrolled : 0 } as DOMRect;
  });
}

const many = (running: number) =>
  aRun(
    Array.from({ length: 40 }, (_, i) =>
      i < running
        ? aDoneStep(`s${i}`, i, i + 1, { layer: i })
        : aStep(`s${i}`, { layer: i, ...(i === running ? { status: "running", started_at: at(i) } : {}) }),
    ),
  );
const box = () => screen.getByRole("list", { name: "Steps" }).parentElement as HTMLElement;

describe("a list with a scroll area of its own", () => {
  it("shows the current step, and moves only when that leaves the view", async () => {
    measured();
    await show(<FollowingList gates={[]} run={many(19)} onSelect={() => {}} />);
    expect(box().scrollTop).toBe(19 * rowHeight - 125);
    reveal(box(), "s20");
    expect(box().scrollTop).toBe(19 * rowHeight - 125);
    reveal(box(), "s30");
    expect(box().scrollTop).toBe(30 * rowHeight - 125);
  });

  it("follows what is marked rather than what works", async () => {
    measured();
    await show(<FollowingList gates={[]} run={many(19)} marked={new Set(["s12"])} onSelect={() => {}} />);
    expect(box().scrollTop).toBe(12 * rowHeight - 125);
  });

  it("stays where somebody scrolled it, with a way back", async () => {
    measured();
    await show(<FollowingList gates={[]} run={many(19)} onSelect={() => {}} />);
    expect(screen.queryByRole("button", { name: "Current step" })).toBeNull();
    fireEvent.wheel(box());
    box().scrollTop = 0;
    fireEvent.click(screen.getByRole("button", { name: "Current step" }));
    expect(box().scrollTop).toBe(19 * rowHeight - 125);
    expect(screen.queryByRole("button", { name: "Current step" })).toBeNull();
  });

  it("is what a phone shows where more comes below; else the list is as long as it is", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    await show(<RunGraph bounded gates={[]} run={many(9)} onSelect={() => {}} />);
    expect(box().closest(".max-h-\\[40dvh\\]")).toBeTruthy();
    cleanup();
    await show(<RunGraph gates={[]} run={many(9)} onSelect={() => {}} />);
    expect(box().closest(".max-h-\\[40dvh\\]")).toBeNull();
  });
});
