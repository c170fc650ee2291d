import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { type PaletteCommand, useCommands } from "./commands";
import Palette, { score } from "./Palette";

it("the palette prefers beginnings, and leaves out what does not fit", () => {
  expect(score("his", ["History"])).toBe(1);
  expect(score("theme", ["Light theme"])).toBe(0.8);
  expect(score("sto", ["History"])).toBe(0.5);
  expect(score("his", ["Theme like the system"])).toBe(0);
});

it("the palette begins with places, so that Enter alone changes nothing", async () => {
  const [go, change] = [vi.fn(), vi.fn()];
  const commands: PaletteCommand[] = [
    { id: "help", label: "Keyboard shortcuts", group: "Help", run: vi.fn() },
    { id: "undo", label: "Send decisions at once", group: "Inbox", run: change },
    { id: "go", label: "History", group: "Go to", run: go },
    { id: "look", label: "Dark theme", group: "Look", run: vi.fn() },
  ];
  function Registered() {
    useCommands(commands);
    return <Palette open onOpenChange={() => {}} />;
  }
  render(<Registered />);
  const options = await screen.findAllByRole("option");
  expect(options.map((o) => o.textContent)).toEqual([
    "History",
    "Send decisions at once",
    "Dark theme",
    "Keyboard shortcuts",
  ]);
  fireEvent.keyDown(screen.getByRole("combobox"), { key: "Enter" });
  expect(go).toHaveBeenCalledOnce();
  expect(change).not.toHaveBeenCalled();
});
