import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { DataNote } from "./DataNote";

it("says that values are hidden, or removed, and by whom", () => {
  const { container, rerender } = render(<DataNote />);
  expect(container.textContent).toBe("");
  rerender(<DataNote masked />);
  expect(screen.getByText(/hidden from you/)).toBeTruthy();
  rerender(<DataNote removed={{ at: "2026-01-02T03:04:05Z", by: "ann", reason: "asked by the customer" }} />);
  expect(container.textContent).toMatch(/removed by ann .*: asked by the customer\. Who did what/);
  rerender(<DataNote removed={{ at: "2026-01-02T03:04:05Z", by: "", reason: "" }} />);
  expect(container.textContent).toMatch(/removed by the server/);
});
