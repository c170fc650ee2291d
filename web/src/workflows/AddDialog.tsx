import { Dialog } from "../ui/Dialog";
import { Palette } from "./Palette";
import { stepTitle } from "./say";
import type { Studio } from "./studio";

/** The palette as a dialog: for the keyboard, and where there is no room beside the canvas. */
export default function AddDialog({ studio, after, onClose }: { studio: Studio; after?: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={after ? `Add a step after ${stepTitle({ id: after })}` : "Add a step"}
    >
      <Palette studio={studio} after={after} onDone={onClose} autoFocus className="-m-2" />
    </Dialog>
  );
}
