import { Hand, Plus, Unlink } from "lucide-react";
import { Button } from "../ui/Button";
import { JsonView } from "../ui/JsonView";
import { slotOf } from "./model/here";
import { stepTitle } from "./say";
import type { Edge, Studio } from "./studio";

/** The way from one step to the next: what passes along it, and what can be put between. */
export function EdgePanel({ edge, studio }: { edge: Edge; studio: Studio }) {
  const { editor, dataOf, run, openPalette } = studio;
  const target = editor.flow.steps.find((s) => s.id === edge.to);
  const data = dataOf(edge);
  return (
    <div className="space-y-5">
      {editor.editable && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => openPalette(slotOf(edge))}>
            <Plus aria-hidden /> Insert a step
          </Button>
          <Button size="small" onClick={() => run.addGate(edge.gateAt)}>
            <Hand aria-hidden /> Add an approval
          </Button>
          {target && edge.after && (
            <Button size="small" look="danger-outlined" onClick={run.remove}>
              <Unlink aria-hidden /> Disconnect
            </Button>
          )}
        </div>
      )}
      <section aria-label="Data">
        <h3 className="mb-1 text-control font-semibold">
          {data?.from === "test" ? "Data of the test run" : "Data with the sample input"}
        </h3>
        {data === undefined ? (
          <p className="text-small text-muted">
            {target && edge.after
              ? `Nothing passes from ${stepTitle({ id: edge.after })} to ${stepTitle(target)} yet.`
              : "No data."}
          </p>
        ) : (
          <JsonView value={data.value} className="max-h-80" />
        )}
      </section>
    </div>
  );
}
