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
});
