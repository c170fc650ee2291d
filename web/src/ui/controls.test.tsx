import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { lazy } from "react";
import { expect, it, vi } from "vitest";
import { Segments } from "../decide/Segments";
import { Button } from "./Button";
import { Checkbox } from "./Checkbox";
import { Dialog } from "./Dialog";
import { hover } from "./hover";
import { OnAsk } from "./OnAsk";
import { Sheet } from "./Sheet";
import { Textarea } from "./Textarea";

it.each([
  [false, "false", true],
  [true, "true", false],
  ["indeterminate", "mixed", true],
] as const)("a checkbox that is %s says so, and a click makes it another", (checked, said, then) => {
  const change = vi.fn();
  render(<Checkbox label="All" checked={checked} onCheckedChange={change} />);
  const box = screen.getByRole("checkbox", { name: "All" });
  expect(box.getAttribute("aria-checked")).toBe(said);
  fireEvent.click(box);
  expect(change).toHaveBeenCalledWith(then);
  expect(fireEvent.keyDown(box, { key: "Enter" })).toBe(false); // Enter ticks no box
});

it("segments: one is on, arrows go round, and only that one is a stop of the Tab key", () => {
  const change = vi.fn();
  const options = ["form", "json", "changes"].map((value) => ({ value, label: value }));
  const { rerender } = render(<Segments label="View" options={options} value="form" onChange={change} />);
  const radios = () => screen.getAllByRole("radio");
  expect(radios().map((r) => [r.getAttribute("aria-checked"), r.tabIndex])).toEqual([
    ["true", 0],
    ["false", -1],
    ["false", -1],
  ]);
  fireEvent.keyDown(radios()[0] as HTMLElement, { key: "ArrowLeft" });
  expect(change).toHaveBeenLastCalledWith("changes");
  expect(document.activeElement).toBe(radios()[2]);
  rerender(<Segments label="View" options={options} value="changes" onChange={change} />);
  fireEvent.keyDown(radios()[2] as HTMLElement, { key: "ArrowRight" });
  expect(change).toHaveBeenLastCalledWith("form");
});

it.each(["click", "Enter", " ", "ArrowDown"])("a menu is loaded when it is asked for: %s", async (how) => {
  const load = vi.fn(async () => ({ default: () => <p>The menu</p> }));
  const Menu = lazy(load);
  render(
    <OnAsk trigger={<Button>More</Button>}>
      <Menu />
    </OnAsk>,
  );
  const button = screen.getByRole("button", { name: "More" });
  expect(button.getAttribute("aria-haspopup")).toBe("menu");
  fireEvent.keyDown(button, { key: "x" });
  expect(load).not.toHaveBeenCalled();
  if (how === "click") fireEvent.click(button);
  else fireEvent.keyDown(button, { key: how });
  expect(await screen.findByText("The menu")).toBeTruthy();
});

it.each([
  ["dialog", Dialog],
  ["sheet", Sheet],
])("a %s that opens has the focus, not its close button; a field that wants it gets it", async (_, Overlay) => {
  const { unmount } = render(
    <Overlay open onOpenChange={() => {}} title="About">
      <p>Nothing to do here.</p>
    </Overlay>,
  );
  const shown = screen.getByRole("dialog", { name: "About" });
  await waitFor(() => expect(document.activeElement).toBe(shown));
  unmount();
  render(
    <Overlay open onOpenChange={() => {}} title="Why">
      <Textarea aria-label="Reason" autoFocus />
    </Overlay>,
  );
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Reason")));
});

it("a title is made when somebody points there", () => {
  render(<span {...hover(() => "exactly then")}>soon</span>);
  expect(screen.getByText("soon").title).toBe("");
  fireEvent.pointerEnter(screen.getByText("soon"));
  expect(screen.getByText("soon").title).toBe("exactly then");
});
