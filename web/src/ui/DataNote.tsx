import { EyeOff, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Time } from "./Time";

interface Props {
  /** Values are masked for this user. */
  masked?: boolean;
  /** When, by whom and why values were permanently deleted. */
  removed?: { at: string; by: string; reason: string };
}

/** Explains why expected values are missing. Nothing is omitted silently. */
export function DataNote({ masked, removed }: Props) {
  return (
    <>
      {removed && (
        <Line icon={<Trash2 />}>
          What people and agents sent was removed by {removed.by || "the server"} <Time at={removed.at} />
          {removed.reason && `: ${removed.reason}`}. Who did what, and when, is still here.
        </Line>
      )}
      {masked && (
        <Line icon={<EyeOff />}>
          Some values are hidden from you and stand as <span className="whitespace-nowrap">•••</span>. Approvers see all
          of them.
        </Line>
      )}
    </>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex gap-2 rounded-md border bg-sunken px-4 py-2.5 text-small text-muted [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {icon}
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
