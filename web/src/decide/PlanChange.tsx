import { plain, type Raw } from "../json";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { performer } from "../words/steps";

interface Planned {
  id: string;
  layer: number;
  needs: string[];
  by: string;
  risk: string;
}

/** The plan before and after a change, each layer by layer: what is new, and which steps wait for something else. */
export function PlanChange({ show }: { show: Raw | null }) {
  const change = changeOf(show);
  if (!change) return null;
  return (
    <Card title="How the plan changes">
      <div className="grid min-w-0 gap-4 @2xl:grid-cols-2">
        <Layers title="Now" steps={change.before} />
        <Layers title="With these steps" steps={change.after} old={change.before} />
      </div>
    </Card>
  );
}

/** A plan. Given the old one, it marks the differences. */
function Layers({ title, steps, old }: { title: string; steps: Planned[]; old?: Planned[] }) {
  const layers = [...new Set(steps.map((s) => s.layer))].sort((a, b) => a - b);
  return (
    <div className="min-w-0">
      <h3 className="mb-2 text-small font-semibold">{title}</h3>
      <ol aria-label={title} className="space-y-2">
        {layers.map((layer) => (
          <li key={layer} className="flex gap-3">
            <span className="w-5 shrink-0 pt-1.5 text-right text-muted tabular-nums">{layer + 1}</span>
            <ul className="flex min-w-0 flex-wrap gap-2">
              {steps
                .filter((s) => s.layer === layer)
                .map((s) => (
                  <PlannedStep key={s.id} step={s} old={old} />
                ))}
            </ul>
          </li>
        ))}
      </ol>
    </div>
  );
}

function PlannedStep({ step, old }: { step: Planned; old?: Planned[] }) {
  const was = old?.find((s) => s.id === step.id);
  const added = old !== undefined && !was;
  const notes = [performer(step.id, step.by), was ? waitsNow(was.needs, step.needs) : ""].filter(Boolean);
  return (
    <li className={cn("min-w-0 rounded-sm border px-2.5 py-1", added && "border-ok-fill")}>
      <span className="font-medium">
        <Visible text={format.title(step.id)} />
      </span>{" "}
      {added && (
        <>
          <Badge tone="ok">New</Badge>{" "}
          {step.risk && <Badge tone={step.risk === "low" ? "neutral" : "warn"}>{format.title(step.risk)} risk</Badge>}
        </>
      )}
      <span className="block text-small text-muted">
        <Visible text={notes.join(" · ")} />
      </span>
    </li>
  );
}

/** How what a step waits for changes; empty if it does not. */
function waitsNow(before: string[], now: string[]): string {
  const more = now.filter((id) => !before.includes(id)).map(format.title);
  const less = before.filter((id) => !now.includes(id)).map(format.title);
  if (more.length === 0 && less.length === 0) return "";
  if (more.length === 0) return `no longer waits for ${less.join(", ")}`;
  if (less.length === 0) return `now also waits for ${more.join(", ")}`;
  return `now waits for ${more.join(", ")} instead of ${less.join(", ")}`;
}

/** Undefined unless the data is a plan before and after. */
function changeOf(show: Raw | null) {
  const data = plain<{ before?: unknown; after?: unknown }>(show);
  const before = planOf(data?.before);
  const after = planOf(data?.after);
  return before && after ? { before, after } : undefined;
}

function planOf(value: unknown): Planned[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map((s: Partial<Planned>) => ({
    id: String(s.id ?? ""),
    layer: Number(s.layer ?? 0),
    needs: Array.isArray(s.needs) ? s.needs.map(String) : [],
    by: String(s.by ?? ""),
    risk: String(s.risk ?? ""),
  }));
}

/** Whether supporting data can be drawn as a changed plan. */
export function isPlanChange(show: Raw | null): boolean {
  return changeOf(show) !== undefined;
}
