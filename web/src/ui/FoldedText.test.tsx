import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { FoldedText, headOf } from "./FoldedText";

it("FoldedText says the first line, and what is short whole", () => {
  expect(headOf("  one line\n")).toEqual({ head: "one line" });
  expect(headOf("first\nsecond")).toEqual({ head: "first", rest: "first\nsecond" });
  const long = "word ".repeat(100).trim();
  expect(headOf(long).head).toMatch(/^(word )+…$/);
  expect(headOf(long).head.length).toBeLessThanOrEqual(202);
  expect(headOf(long).rest).toBe(long);
  expect(headOf("🎉".repeat(200)).head).toMatch(/^(🎉)+ …$/u);
  render(<FoldedText text={long} />);
  fireEvent.click(screen.getByRole("button", { name: "Show all" }));
  expect(screen.getByRole("button", { name: "Show less" }).getAttribute("aria-expanded")).toBe("true");
  expect(screen.getByText(long)).toBeTruthy();
});
