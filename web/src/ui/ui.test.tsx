import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/error";
import { raw } from "../json";
import { Button, confidenceBand, Diff, ErrorNote, Field, Input, initials, JsonView, RiskBadge, StatusBadge } from ".";

describe("primitives", () => {
  it("JsonView shows every digit and copies the same", () => {
    const { container } = render(<JsonView value={raw('{"id":9007199254740993,"amount":0.10,"2":1,"1":2}')} />);
    expect(container.querySelector("pre")?.textContent).toBe(
      '{\n  "id": 9007199254740993,\n  "amount": 0.10,\n  "2": 1,\n  "1": 2\n}',
    );
  });

  it("JsonView shows null and what is no JSON", () => {
    const { container, rerender } = render(<JsonView value={null} />);
    expect(container.querySelector("pre")?.textContent).toBe("null");
    rerender(<JsonView value={{ $json: "{broken" }} />);
    expect(container.querySelector("pre")?.textContent).toBe("{broken");
  });

  it("long text is folded, and says so", () => {
    const { container } = render(<JsonView value={raw(JSON.stringify(Array.from({ length: 100 }, (_, i) => i)))} />);
    fireEvent.click(screen.getByText("Show all 102 lines"));
    expect(screen.getByText("Show less")).toBeTruthy();
    expect(container.querySelector("pre")?.textContent).toContain("99");
  });

  it("Diff shows both sides whole", () => {
    render(
      <Diff changes={[{ path: "/items/0/price", op: "replace", from: raw("0.10"), to: raw("9007199254740993") }]} />,
    );
    expect(screen.getByText("items › 0 › price")).toBeTruthy();
    expect(screen.getByText("0.10")).toBeTruthy();
    expect(screen.getByText("9007199254740993")).toBeTruthy();
  });

  it("ErrorNote says what, why and what to do", () => {
    const error = new ApiError({
      code: "invalid",
      title: "Not valid",
      detail: "amount is wrong",
      hint: "mend it",
      errors: [{ path: "/amount", message: "too high" }],
    });
    render(<ErrorNote error={error} />);
    for (const text of ["Not valid", "amount is wrong", "mend it", "/amount", "too high"])
      expect(screen.getByText(text)).toBeTruthy();
  });

  it("a loading button cannot be pressed again", () => {
    const press = vi.fn();
    render(
      <Button loading onClick={press}>
        Save
      </Button>,
    );
    fireEvent.click(screen.getByText("Save"));
    expect(press).not.toHaveBeenCalled();
  });

  it("a field labels its input and keeps the line of the error", () => {
    const { rerender, container } = render(
      <Field label="Reason" hint="Said to the agent">
        <Input />
      </Field>,
    );
    const input = screen.getByLabelText("Reason");
    expect(container.querySelector("p")?.id).toBe(input.getAttribute("aria-describedby"));
    rerender(
      <Field label="Reason" error="Say why">
        <Input />
      </Field>,
    );
    expect(screen.getByLabelText("Reason").getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("Say why")).toBeTruthy();
  });

  it("risk and status are words", () => {
    render(
      <>
        <RiskBadge level="critical" />
        <StatusBadge run="limit_reached" />
        <StatusBadge run="running" cancelling />
        <StatusBadge run="cancelled" cancelling />
        <StatusBadge approval="revision_requested" />
      </>,
    );
    for (const text of ["Critical risk", "Limit reached", "Sent back", "Cancelling", "Cancelled"])
      expect(screen.getByText(text)).toBeTruthy();
  });

  it("confidence has three bands", () => {
    expect([0.69, 0.7, 0.89, 0.9].map((c) => confidenceBand(c).level)).toEqual([1, 2, 2, 3]);
  });

  it("initials come from names and addresses", () => {
    expect([initials("ann lee"), initials("bob"), initials("maria.k@example.com")]).toEqual(["al", "bo", "mk"]);
  });
});
