import { plain, type Raw } from "../json";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { format } from "../words";

interface Planned {
  id: string;
  layer: number;
  needs: string[];
  by: string;
  added: boolean;
}

/** What a run would do if the steps that were found are added: layer by layer, with what is new and what waits for it. */
export function PlanChange({ show }: { show: Raw | null }) {
  const change = changeOf(show);
  if (!change) return null;
  const layers = [...new Set(change.after.map((s) => s.layer))];
  return (
    <Card title="The plan with these steps">
      <ol className="space-y-2">
        {layers.map((layer) => (
          <li key={layer} className="flex gap-3">
            <span className="w-5 shrink-0 pt-1.5 text-right text-muted tabular-nums">{layer + 1}</span>
            <ul className="flex min-w-0 flex-wrap gap-2">
              {change.after
                .filter((s) => s.layer === layer)
                .map((s) => (
                  <PlannedStep key={s.id} step={s} waits={change.waits(s)} />
                ))}
            </ul>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function PlannedStep({ step, waits }: { step: Planned; waits: string[] }) {
  return (
    <li className={cn("min-w-0 rounded-sm border px-2.5 py-1", step.added && "border-ok-fill")}>
      <span className="font-medium">
        <Visible text={format.title(step.id)} />
      </span>{" "}
      {step.added && <Badge tone="ok">New</Badge>}
      <span className="block text-small text-muted">
        <Visible text={step.by} />
        {waits.length > 0 && (
          <>
            {step.by && " · "}now also waits for <Visible text={waits.map(format.title).join(", ")} />
          </>
        )}
      </span>
    </li>
  );
}

/** Undefined unless the data is a plan before and after. */
function changeOf(show: Raw | null) {
  const data = plain<{ before?: unknown; after?: unknown }>(show);
  const before = planOf(data?.before);
  const after = planOf(data?.after);
  if (!before || !after) return undefined;
  const needed = new Map(before.map((s) => [s.id, s.needs]));
  return {
    after: after.toSorted((a, b) => a.layer - b.layer),
    waits: (s: Planned) => {
      const old = needed.get(s.id);
      return old ? s.needs.filter((id) => !old.includes(id)) : [];
    },
  };
}

function planOf(value: unknown): Planned[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((s: Partial<Planned>) => ({
    id: String(s.id ?? ""),
    layer: Number(s.layer ?? 0),
    needs: Array.isArray(s.needs) ? s.needs.map(String) : [],
    by: String(s.by ?? ""),
    added: s.added === true,
  }));
}

/** Whether supporting data can be drawn as a changed plan. */
export function isPlanChange(show: Raw | null): boolean {
  return changeOf(show) !== undefined;
}
