import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { Dialog } from "./Dialog";
import { forgetToasts, Toasts, toast } from "./Toasts";

afterEach(() => forgetToasts());

function Form() {
  const [open, setOpen] = useState(true);
  return (
    <Toasts>
      <Dialog open={open} onOpenChange={setOpen} title="Invite">
        <input aria-label="Name" autoFocus />
      </Dialog>
    </Toasts>
  );
}

it("Escape closes the list of a field, then the dialog that it is in", async () => {
  function Choice() {
    const [listed, setListed] = useState(true);
    return (
      <input
        aria-label="Source"
        role="combobox"
        aria-expanded={listed}
        data-escape={listed || undefined}
        aria-controls="none"
        onKeyDown={(e) => e.key === "Escape" && setListed(false)}
      />
    );
  }
  function Mapping() {
    const [open, setOpen] = useState(true);
    return (
      <Dialog open={open} onOpenChange={setOpen} title="Mapping">
        <Choice />
      </Dialog>
    );
  }
  render(<Mapping />);
  const field = screen.getByLabelText("Source");
  field.focus();
  fireEvent.keyDown(field, { key: "Escape" });
  expect(field.getAttribute("aria-expanded")).toBe("false");
  expect(screen.queryByRole("dialog")).not.toBeNull();
  fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("Escape closes the dialog that has the focus, then the toast that came after it", async () => {
  render(<Form />);
  toast({ title: "A run has failed" });
  await screen.findByText("A run has failed");
  const field = screen.getByLabelText("Name");
  field.focus();
  fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  screen.getByText("A run has failed");
  fireEvent.keyDown(document.body, { key: "Escape" });
  await waitFor(() => expect(screen.queryByText("A run has failed")).toBeNull());
});
