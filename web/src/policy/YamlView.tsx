import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import type { ValidationFault } from "../api/policyEdit";
import { cn } from "../lib/cn";
import { CodeEditor } from "../ui";
import { format } from "../words";
import type { Work } from "./useWork";

/** The policy as text, with the server's problems at their lines. */
export function YamlView(props: { work: Work; problems: ValidationFault[]; checked: boolean; editable: boolean }) {
  const { work, problems, checked, editable } = props;
  return (
    <>
      <CodeEditor
        language="yaml"
        label="Policy"
        value={work.text}
        readOnly={!editable}
        problems={problems}
        onChange={(text) => work.set(text, "typing")}
        className="max-h-[70vh] min-h-64"
      />
      <div role="status" className="mt-2">
        {checked && problems.length === 0 && (
          <p className="flex items-center gap-1.5 text-small text-ok-text">
            <CircleCheck aria-hidden className="size-4" /> No problems
          </p>
        )}
        {problems.length > 0 && (
          <p className="mb-1 text-small font-medium">{format.plural(problems.length, "problem")}</p>
        )}
        <ul className="space-y-1 text-small">
          {problems.map((fault, i) => {
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
                  {fault.message}
                </span>
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
