import { Pin, PinOff, Play } from "lucide-react";
import { pretty, treeOf } from "../json";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { CodeEditor } from "../ui/CodeEditor";
import { ErrorNote } from "../ui/ErrorNote";
import { JsonView } from "../ui/JsonView";
import { keepFocus } from "../ui/returnFocus";
import { stepStatus } from "../words";
import { earlier, type StepDef } from "./model/flow";
import { stepTitle } from "./say";
import type { Studio } from "./studio";
import { isJson } from "./TestPanel";

/** A step in the test run: its output, which can be pinned, and running again from here. */
export function TestSection({ step, studio }: { step: StepDef; studio: Studio }) {
  const { test, editor } = studio;
  const done = test.run?.steps.find((s) => s.id === step.id);
  if (!test.run || !done) return null;
  const word = stepStatus[done.status];
  const pinned = test.pins[step.id];
  const before = new Set(earlier(editor.flow, step.id));
  const used = Object.keys(test.pins).filter((id) => before.has(id));
  const wrong = used.filter((id) => !isJson(test.pins[id] ?? ""));
  const blocked = test.stale
    ? "The workflow has changed since the test. Run a new test first."
    : wrong.length > 0
      ? `The pinned output of ${stepTitle({ id: wrong[0] ?? "" })} is not JSON yet.`
      : undefined;
  return (
    <section aria-label="In the test run">
      <div className="mb-1 flex items-center gap-2">
        <h3 className="flex-1 text-control font-semibold">In the test run</h3>
        <Badge tone={word.tone} icon={word.icon}>
          {word.label}
        </Badge>
      </div>
      {done.error && <p className="mb-1 text-small break-words text-bad-text">{done.error.message}</p>}
      {pinned !== undefined ? (
        <>
          <CodeEditor
            language="json"
            label={`Pinned output of ${stepTitle(step)}`}
            value={pinned}
            onChange={(text) => test.pin(step.id, text)}
            className="max-h-48"
          />
          <p className="mt-1 text-small text-muted">
            {isJson(pinned)
              ? "Later steps get this when you run from one of them. Real runs never use it."
              : "This is not JSON yet."}
          </p>
        </>
      ) : (
        done.output !== null && <JsonView value={done.output} className="max-h-48" />
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {pinned !== undefined ? (
          <Button size="small" onClick={() => test.pin(step.id, undefined)}>
            <PinOff aria-hidden /> Unpin
          </Button>
        ) : (
          done.output !== null && (
            <Button size="small" onClick={() => test.pin(step.id, pretty(treeOf(done.output)))}>
              <Pin aria-hidden /> Pin output
            </Button>
          )
        )}
        <Button
          size="small"
          loading={test.busy}
          disabled={blocked !== undefined}
          onClick={() => {
            keepFocus();
            test.from(step.id);
          }}
        >
          <Play aria-hidden /> Run from here
        </Button>
      </div>
      <p className="mt-1 text-small text-muted">
        {blocked ??
          (used.length > 0
            ? `With the pinned output of ${used.map((id) => stepTitle({ id })).join(", ")}.`
            : "Steps before it keep their results. Approvals ask again from here on.")}
      </p>
      {test.failure !== undefined && <ErrorNote error={test.failure} />}
    </section>
  );
}
