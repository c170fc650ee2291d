import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { SchemaForm } from "./form/SchemaForm";
import type { Desk } from "./useDesk";

/** The requested data. */
export function InputForm({ desk }: { desk: Desk }) {
  return (
    <Card id="proposal" title={<Visible text={desk.schema.title || "Fill this in"} />}>
      {desk.schema.description && (
        <p className="mb-3 text-muted">
          <Visible text={desk.schema.description} />
        </p>
      )}
      <SchemaForm
        tree={desk.edited}
        schema={desk.schema}
        faults={desk.faults}
        onChange={desk.edit}
        onBroken={desk.broken}
        disabled={desk.sending}
      />
    </Card>
  );
}
