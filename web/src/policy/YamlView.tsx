import { CircleCheck } from "lucide-react";
import type { ValidationFault } from "../api/policyEdit";
import { CodeEditor } from "../ui";
import { FaultList } from "../ui/FaultList";
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
        <FaultList faults={problems} />
      </div>
    </>
  );
}
