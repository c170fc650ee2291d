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
