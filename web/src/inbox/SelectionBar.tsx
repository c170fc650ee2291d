import { X } from "lucide-react";
import type { Approval } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { format, risk } from "../words";
import { whyNotAct, whyNotTogether } from "./batch";
import { alike, subjectOf } from "./subject";

interface SelectionProps {
  selection: ReadonlyMap<string, Approval>;
  /** Loaded rows that are similar to the selected ones. */
  similar: number;
  /** Some rows are not loaded, and may be similar. */
  more: boolean;
  /** All similar ones are being loaded. */
  taking: boolean;
  onSimilar: () => void;
  onOnlySimilar: () => void;
  onClear: () => void;
  onDecide: (act: "approve" | "reject") => void;
}

/** Actions on the selected rows together, or why there are none. */
export default function SelectionBar({
  selection,
  similar,
  more,
  taking,
  onSimilar,
  onOnlySimilar,
  onClear,
  onDecide,
}: SelectionProps) {
  const chosen = [...selection.values()];
  const [first] = chosen;
  if (!first) return null;
  const apart = whyNotTogether(chosen);
  const noApprove = apart || whyNotAct(chosen, "approve");
  const noReject = apart || whyNotAct(chosen, "reject");
  const why = apart || [...new Set([noApprove, noReject].filter(Boolean))].join(". ");
  const keep = first.risk.level !== "critical" && chosen.filter((a) => alike(a, first)).length < chosen.length;
  return (
    <section
      data-answers=""
      aria-label="Selected approvals"
      className="motion-rise flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-raised px-4 py-2"
    >
      <IconButton label="Clear the selection (Esc)" className="-ml-2" onClick={onClear}>
        <X />
      </IconButton>
      <p role="status" className="min-w-0 flex-1">
        <strong className="font-medium">{format.count(chosen.length)} selected</strong>{" "}
        <span className={why ? "text-warn-text" : "text-muted"}>
          {why
            ? `${why}.`
            : [subjectOf(first).label, first.risk.level && risk[first.risk.level].label].filter(Boolean).join(", ")}
        </span>
      </p>
      <span className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">
        {keep && <Button onClick={onOnlySimilar}>Keep those like the first</Button>}
        {!apart && !keep && (similar > chosen.length || more) && (
          <Button look="ghost" loading={taking} onClick={onSimilar}>
            {more ? "All like these" : `All ${format.count(similar)} like these`}
          </Button>
        )}
        <Button look="danger-outlined" disabled={noReject !== ""} title={noReject} onClick={() => onDecide("reject")}>
          Reject {format.count(chosen.length)}
        </Button>
        <Button look="filled" disabled={noApprove !== ""} title={noApprove} onClick={() => onDecide("approve")}>
          Approve {format.count(chosen.length)}
        </Button>
      </span>
    </section>
  );
}
