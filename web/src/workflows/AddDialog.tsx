import { Dialog } from "../ui/Dialog";
import type { Slot } from "./model/edit";
import { Palette } from "./Palette";
import { stepTitle } from "./say";
import type { Studio } from "./studio";

/** The palette as a dialog: for the keyboard, and where there is no room beside the canvas. */
export default function AddDialog({ studio, slot, onClose }: { studio: Studio; slot: Slot; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Add a step${placeOf(slot)}`}>
      <Palette studio={studio} slot={slot} onDone={onClose} autoFocus className="-m-2" />
    </Dialog>
  );
}

function placeOf({ after, before }: Slot): string {
  const [from, to] = [after, before].map((id) => id && stepTitle({ id }));
  if (from && to) return ` between ${from} and ${to}`;
  return from ? ` after ${from}` : to ? ` before ${to}` : "";
}
