import { ChevronDown, Lightbulb, Plus } from "lucide-react";
import { useState } from "react";
import { usePolicySuggestions } from "../api";
import type { PastCase, RuleSuggestion } from "../api/policyEdit";
import { plain } from "../json";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Badge, Button, Card, CodeBlock, EmptyState, ErrorNote, SkeletonRows, StatusBadge } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { hours } from "./BacktestView";

/** Rules that past decisions suggest. Adding one changes the text only; people publish. */
export function Suggested({ onAdd }: { onAdd?: (rule: Record<string, unknown>) => void }) {
  const { data, error } = usePolicySuggestions();
  if (error) return <ErrorNote error={error} />;
  if (!data) return <SkeletonRows rows={3} />;
  if (data.items.length === 0)
    return (
      <EmptyState icon={Lightbulb} title="No suggestions">
        A rule is suggested where people approved at least ten similar requests in the last 30 days.
      </EmptyState>
    );
  return (
    <>
      <p className="mb-3 text-muted">
        From decisions of the last 30 days. None of them would have approved what people rejected or edited.
      </p>
      <ul className="space-y-4" aria-label="Suggested rules">
        {data.items.map((suggestion) => (
          <li key={suggestion.id}>
            <One suggestion={suggestion} onAdd={onAdd} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** "Suggested: refund in pay_out, amount <= 39.5" → "Refund in pay out, amount up to 39.5" */
function nameOf(rule: string): string {
  const text = rule
    .replace(/^Suggested: /, "")
    .replaceAll("_", " ")
    .replace(" <= ", " up to ")
    .replace(" >= ", " from ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function One({ suggestion, onAdd }: { suggestion: RuleSuggestion; onAdd?: (rule: Record<string, unknown>) => void }) {
  const rule = plain<Record<string, unknown>>(suggestion.rule) ?? {};
  const name = nameOf(String(rule.name ?? ""));
  const [open, setOpen] = useState(false);
  return (
    <Card
      title={<Visible text={name} />}
      actions={
        onAdd && (
          <Button size="small" aria-label={`Add and backtest: ${name}`} onClick={() => onAdd({ ...rule, name })}>
            <Plus aria-hidden /> Add and backtest
          </Button>
        )
      }
    >
      <p className="break-words">
        <Visible text={suggestion.why} />
      </p>
      <p className="mt-2 flex flex-wrap gap-2">
        <Badge tone="ok">{format.plural(suggestion.covered, "case")} covered</Badge>
        <Badge tone="neutral">{format.plural(suggestion.left, "case")} left to people</Badge>
        <Badge tone="info">{hours(suggestion.minutes_saved)} saved</Badge>
      </p>
      <Button size="small" look="ghost" className="mt-2 -ml-2" aria-expanded={open} onClick={() => setOpen(!open)}>
        Cases and rule <ChevronDown aria-hidden className={cn(open && "rotate-180")} />
      </Button>
      {open && (
        <div className="mt-2 grid gap-4 md:grid-cols-2">
          <Cases title="Covered: people approved all of them" cases={suggestion.covers} of={suggestion.covered} />
          <Cases title="Left to people: rejected or edited" cases={suggestion.leaves} of={suggestion.left} />
          <div className="md:col-span-2">
            <CodeBlock text={suggestion.yaml} />
          </div>
        </div>
      )}
    </Card>
  );
}

function Cases({ title, cases, of }: { title: string; cases: PastCase[]; of: number }) {
  return (
    <section>
      <h3 className="mb-1 text-small font-medium">{title}</h3>
      {cases.length === 0 && <p className="text-small text-muted">None</p>}
      <ul className="space-y-1 text-small">
        {cases.map((one) => (
          <li key={one.approval} className="flex items-center gap-2">
            <StatusBadge approval={one.status} />
            <Link
              to="/approvals/$id"
              params={{ id: one.approval }}
              className="min-w-0 truncate underline-offset-2 hover:underline pointer-coarse:min-w-11 pointer-coarse:leading-11"
            >
              <Visible text={one.title} />
            </Link>
          </li>
        ))}
      </ul>
      {of > cases.length && <p className="text-small text-muted">and {format.count(of - cases.length)} more</p>}
    </section>
  );
}
