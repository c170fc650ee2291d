import { act, cleanup, createEvent, fireEvent, render, screen } from "@testing-library/react";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Toasts } from "../ui/Toasts";
import { forgetKeys, pace } from "./deliberate";
import { useKeyboard, useShortcuts } from "./shortcuts";

const people = { seen: 400, before: 350, after: 200, meant: 2000 };
const tests = { ...pace };
const run = vi.fn();
let show: (thing: string, face?: string) => void = () => {};
let unmountField: () => void = () => {};

function Scene() {
  const [{ thing, face }, set] = useState({ thing: "one", face: "1" });
  const [field, setField] = useState(true);
  show = (next, other = "1") => act(() => set({ thing: next, face: other }));
  unmountField = () => act(() => setField(false));
  useKeyboard();
  useShortcuts(
    [
      { keys: "a", label: "Approve", decides: true, run: () => run(thing) },
      { keys: "j", label: "Next", run: () => {} },
    ],
    { thing, face },
  );
  return (
    <Toasts>
      <div data-decides={thing} tabIndex={-1} data-testid="thing">
        {field && <textarea aria-label="Words" />}
      </div>
      <p>elsewhere</p>
    </Toasts>
  );
}

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(pace, people);
  forgetKeys();
  run.mockClear();
  render(<Scene />);
  screen.getByTestId("thing").focus();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  Object.assign(pace, tests);
});

const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
/** A key that is heard now; on a busy page it was pressed some time ago. */
const press = (key: string, more: object = {}, ago = 0) =>
  act(() => {
    const target = document.activeElement ?? document.body;
    const event = createEvent.keyDown(target, { key, ...more });
    Object.defineProperty(event, "timeStamp", { value: performance.now() - ago });
    fireEvent(target, event);
  });
const words = () => screen.getByLabelText("Words");
/** Waits long enough for whatever is about to happen. */
const decided = () => {
  wait(1000);
  return run.mock.calls.map(([thing]) => thing);
};

describe("on a busy page", () => {
  it("keys heard late are as close together as they were pressed", () => {
    wait(1000);
    press("n");
    wait(600);
    press("a", {}, 540);
    expect(decided()).toEqual([]);
  });

  it("a key waits for the next one, which may be heard later than its time is over", () => {
    wait(1000);
    press("a");
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 600);
    wait(200);
    clock.mockRestore();
    press("l", {}, 500);
    expect(decided()).toEqual([]);
    wait(1000);
    press("a");
    expect(decided()).toEqual(["one"]);
  });
});

describe("a key decides", () => {
  it("what has the focus and was seen, if it is pressed alone", () => {
    wait(500);
    press("a");
    expect(decided()).toEqual(["one"]);
  });

  it("not what has only just come up", () => {
    wait(300);
    press("a");
    expect(decided()).toEqual([]);
    press("a");
    expect(decided()).toEqual(["one"]);
  });

  it("and says what became of the key, in a mark", () => {
    const mark = vi.spyOn(performance, "mark");
    wait(300);
    press("a");
    expect(mark).toHaveBeenLastCalledWith("assent.key", { detail: expect.stringContaining("only just appeared") });
    expect(decided()).toEqual([]);
    press("a");
    expect(decided()).toEqual(["one"]);
    expect(mark).toHaveBeenLastCalledWith("assent.key", { detail: "decided" });
  });

  it("not from elsewhere on the page", () => {
    wait(500);
    act(() => screen.getByTestId("thing").blur());
    press("a");
    expect(decided()).toEqual([]);
  });

  it("not as the end of a word, nor as its beginning", () => {
    wait(500);
    press("j");
    wait(200);
    press("a");
    expect(decided()).toEqual([]);
    press("a");
    wait(100);
    press("l");
    expect(decided()).toEqual([]);
  });

  it("not what changes at the same moment", () => {
    wait(500);
    press("a");
    wait(100);
    show("one", "2");
    expect(decided()).toEqual([]);
  });

  it("not what took the place of something else, before somebody was told", () => {
    wait(5000);
    show("two");
    wait(5000);
    press("a");
    expect(decided()).toEqual([]);
    press("a");
    expect(decided()).toEqual(["two"]);
  });

  it("what one went to", () => {
    wait(500);
    press("j");
    show("two");
    wait(500);
    press("a");
    expect(decided()).toEqual(["two"]);
  });

  it("not what took the place of what one went to", () => {
    wait(500);
    press("j");
    show("two");
    wait(500);
    show("three");
    wait(500);
    press("a");
    expect(decided()).toEqual([]);
  });

  it("not while another window was in front", () => {
    wait(5000);
    act(() => void fireEvent.focus(window));
    wait(100);
    press("a");
    expect(decided()).toEqual([]);
  });
});

describe("when the field goes away under somebody's words", () => {
  beforeEach(() => {
    wait(500);
    words().focus();
    press("i");
    wait(100);
    unmountField();
    screen.getByTestId("thing").focus();
    wait(5000);
  });

  it("keys mean nothing, however slowly they come", () => {
    press("a");
    expect(decided()).toEqual([]);
    press("a");
    expect(decided()).toEqual([]);
  });

  it.each(["Escape", "Tab"])("they mean something again after %s", (key) => {
    press(key);
    wait(500);
    press("a");
    expect(decided()).toEqual(["one"]);
  });

  it("or after a click", () => {
    act(() => void fireEvent.pointerDown(screen.getByTestId("thing")));
    wait(500);
    press("a");
    expect(decided()).toEqual(["one"]);
  });
});

it("leaving a field by Escape gives the keys back at once", () => {
  wait(500);
  words().focus();
  press("i");
  press("Escape");
  screen.getByTestId("thing").focus();
  wait(500);
  press("a");
  expect(decided()).toEqual(["one"]);
});
