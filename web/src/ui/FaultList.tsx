import { CircleAlert, TriangleAlert } from "lucide-react";
import { cn } from "../lib/cn";
import { Visible } from "./Visible";

interface Props {
  faults: readonly { line?: number; message: string; warning?: boolean }[];
}

/** Problems of a text, each with its line. */
export function FaultList({ faults }: Props) {
  return (
    <ul className="space-y-1 text-small">
      {faults.map((fault, i) => {
        const Icon = fault.warning ? TriangleAlert : CircleAlert;
        return (
          <li
            key={i}
            className={cn(
              "flex gap-1.5 rounded-sm px-2 py-1",
              fault.warning ? "bg-warn-bg text-warn-text" : "bg-bad-bg text-bad-text",
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0 break-words">
              {fault.line ? <strong>Line {fault.line}: </strong> : null}
              <Visible text={fault.message} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
