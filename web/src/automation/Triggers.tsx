import { ChevronDown, Webhook } from "lucide-react";
import { useState } from "react";
import { useTriggers } from "../api";
import type { Trigger } from "../api/types";
import { cn } from "../lib/cn";
import { useNavigate, useSearch } from "../router";
import { Badge, Button, Card, CopyButton, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { format, hookOutcome, verifyKind } from "../words";
import { Acts, Editing, NewButton } from "./Acts";
import { Deliveries } from "./Deliveries";

/** The triggers in force: where other systems send to, and what became of the last delivery. */
export function Triggers() {
  const { data: list, error } = useTriggers();
  const [editing, setEditing] = useState<string>();
  const { trigger: open } = useSearch();
  return (
    <Card
      title="Triggers"
      flush
      actions={list && <NewButton kind="triggers" taken={list.items.map((one) => one.name)} />}
    >
      {error && <ErrorNote error={error} />}
      {!list && !error && <SkeletonRows rows={2} />}
      {list?.items.length === 0 && (
        <EmptyState icon={Webhook} title="No triggers">
          A trigger starts a run when another system sends a webhook.
        </EmptyState>
      )}
      <ul aria-label="Triggers" className="divide-y">
        {list?.items.map((trigger) => (
          <Row
            key={trigger.name}
            trigger={trigger}
            open={trigger.name === open}
            onEdit={() => setEditing(trigger.name)}
          />
        ))}
      </ul>
      <Editing kind="triggers" name={editing} items={list?.items ?? []} onClose={() => setEditing(undefined)} />
    </Card>
  );
}

function Row({ trigger, open, onEdit }: { trigger: Trigger; open: boolean; onEdit: () => void }) {
  const navigate = useNavigate();
  const verify = verifyKind[trigger.verify];
  const address = location.origin + trigger.path;
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium break-words">
            <Visible text={trigger.name} />
          </p>
          <p className="text-small break-words text-muted">
            <Visible text={format.title(trigger.workflow)} />
          </p>
        </div>
        <Badge tone={verify.tone} icon={verify.icon} title={verify.sentence}>
          {verify.label}
        </Badge>
        {!trigger.enabled && <Badge>Disabled</Badge>}
        <Last trigger={trigger} />
        <div className="flex flex-wrap gap-2 max-sm:basis-full">
          <Button
            size="small"
            aria-expanded={open}
            aria-label={`Deliveries to ${trigger.name}`}
            onClick={() => void navigate({ search: { trigger: open ? undefined : trigger.name } })}
          >
            Deliveries <ChevronDown aria-hidden className={cn(open && "rotate-180")} />
          </Button>
          <Acts kind="triggers" one={trigger} onEdit={onEdit} />
        </div>
      </div>
      <p className="mt-1 flex items-center gap-1 text-small text-muted">
        <code className="min-w-0 break-all">{address}</code>
        <CopyButton text={address} label={`Copy the address of ${trigger.name}`} />
      </p>
      {open && <Deliveries name={trigger.name} />}
    </li>
  );
}

function Last({ trigger }: { trigger: Trigger }) {
  const [last] = trigger.deliveries;
  if (!last) return null;
  const word = hookOutcome[last.outcome];
  return (
    <Badge tone={word.tone} icon={word.icon} title={last.cause || word.sentence}>
      {word.label} <Time at={last.last_at} />
    </Badge>
  );
}
