import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { type Shortcut, useKeyboard, useRegisteredShortcuts, useShortcuts } from "./shortcuts";

function Keys({ shortcuts }: { shortcuts: Shortcut[] }) {
  useKeyboard();
  useShortcuts(shortcuts);
  return (
    <>
      <input aria-label="text" />
      <button type="button">press</button>
      <p>{useRegisteredShortcuts().map((s) => s.label)}</p>
    </>
  );
}

const press = (key: string, on: Element = document.body, more: object = {}) => fireEvent.keyDown(on, { key, ...more });

describe("shortcuts", () => {
  it("run, alone and one after the other", () => {
    const [j, go, upper] = [vi.fn(), vi.fn(), vi.fn()];
    render(
      <Keys
        shortcuts={[
          { keys: "j", label: "Next", run: j },
          { keys: "g i", label: "Inbox", run: go },
          { keys: "shift+j", label: "Far", run: upper },
        ]}
      />,
    );
    press("j");
    press("i");
    expect(go).not.toHaveBeenCalled();
    press("g");
    press("i");
    press("J", document.body, { shiftKey: true });
    expect([j, go, upper].map((f) => f.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it("rest while somebody types, unless they say otherwise", () => {
    const [a, palette] = [vi.fn(), vi.fn()];
    render(
      <Keys
        shortcuts={[
          { keys: "a", label: "Approve", run: a },
          { keys: "mod+k", label: "Palette", whileTyping: true, run: palette },
        ]}
      />,
    );
    press("a", screen.getByLabelText("text"));
    press("a", document.body, { ctrlKey: true });
    press("k", screen.getByLabelText("text"), { ctrlKey: true });
    expect(a).not.toHaveBeenCalled();
    expect(palette).toHaveBeenCalledOnce();
  });

  it("leave Enter to the button that has the focus", () => {
    const open = vi.fn();
    render(<Keys shortcuts={[{ keys: "enter", label: "Open", run: open }]} />);
    press("Enter", screen.getByText("press"));
    expect(open).not.toHaveBeenCalled();
    press("Enter");
    expect(open).toHaveBeenCalledOnce();
  });

  it("use what was rendered last, and are gone with their component", () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const { rerender, unmount } = render(<Keys shortcuts={[{ keys: "x", label: "Select", run: first }]} />);
    rerender(<Keys shortcuts={[{ keys: "x", label: "Select", run: second }]} />);
    press("x");
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledOnce();
    unmount();
    press("x");
    expect(second).toHaveBeenCalledOnce();
  });

  it("do one thing for each press, however long; only keys that move may be held", () => {
    const keys = ["a", "enter", "mod+enter", "j", "k", "arrowdown", "shift+arrowright"];
    const runs = keys.map(() => vi.fn());
    render(<Keys shortcuts={keys.map((one, i) => ({ keys: one, label: one, run: () => runs[i]?.() }))} />);
    for (const repeat of [false, true, true]) {
      for (const key of ["a", "Enter", "j", "k", "ArrowDown"]) press(key, document.body, { repeat });
      press("Enter", document.body, { repeat, ctrlKey: true });
      press("ArrowRight", document.body, { repeat, shiftKey: true });
    }
    expect(runs.map((f) => f.mock.calls.length)).toEqual([1, 1, 1, 3, 3, 3, 3]);
    // The browser does nothing with it either.
    expect(press("a", document.body, { repeat: true })).toBe(false);
  });

  it("are named in the help while they only wait for something, unless another has their key", () => {
    const none = vi.fn();
    const { rerender } = render(
      <Keys
        shortcuts={[
          { keys: "a", label: "Approve. ", needs: "at a row", enabled: false, run: none },
          { keys: "n", label: "Not for you. ", enabled: false, run: none },
        ]}
      />,
    );
    expect(screen.getByRole("paragraph").textContent).toBe("Approve. ");
    rerender(
      <Keys
        shortcuts={[
          { keys: "a", label: "Approve. ", needs: "at a row", enabled: false, run: none },
          { keys: "a", label: "Confirm. ", run: none },
        ]}
      />,
    );
    expect(screen.getByRole("paragraph").textContent).toBe("Confirm. ");
  });
});
