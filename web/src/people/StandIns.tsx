import { ArrowRight, CalendarOff } from "lucide-react";
import { useState } from "react";
import { useAccounts, useRemoveStandIn, useSetStandIn, useStandIns } from "../api/access";
import { Badge, Button, Card, Dialog, EmptyState, ErrorNote, Field, Input, SkeletonRows, Time } from "../ui";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { dayMax, startOf } from "./day";

/** Who decides for people who are away. */
export function StandIns() {
  const { data, error } = useStandIns();
  const remove = useRemoveStandIn();
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Card
        title="Stand-ins"
        flush
        actions={
          <Button size="small" onClick={() => setAdding(true)}>
            Set a stand-in
          </Button>
        }
      >
        {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={2} />}
        {remove.error && <ErrorNote error={remove.error} />}
        {data?.items.length === 0 && (
          <EmptyState icon={CalendarOff} title="Everyone decides for themselves">
            A stand-in decides the approvals of a person who is away, from one day until another.
          </EmptyState>
        )}
        <ul aria-label="Stand-ins" className="divide-y">
          {data?.items.map((one) => (
            <li key={one.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-56">
                <p className="flex flex-wrap items-center gap-2 font-medium">
                  <Visible text={one.name} />
                  <ArrowRight role="img" aria-label="is replaced by" className="size-4 text-muted" />
                  <Visible text={one.to} />
                  <Badge tone={one.counts ? "ok" : "neutral"}>{one.counts ? "Active" : "Later"}</Badge>
                </p>
                <p className="text-small break-words text-muted">
                  from <Time at={one.from} /> until <Time at={one.until} /> · set by <Visible text={one.set_by} />
                </p>
                {one.notes?.map((note) => (
                  <p key={note} className="text-small break-words text-warn-text">
                    {note}
                  </p>
                ))}
              </div>
              <Button
                size="small"
                aria-label={`Remove the stand-in for ${one.name}`}
                loading={remove.isPending && remove.variables.name === one.name}
                onClick={() => {
                  keepFocus();
                  remove.mutate({ name: one.name });
                }}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      </Card>
      {adding && <SetOne onClose={() => setAdding(false)} />}
    </>
  );
}

function SetOne({ onClose }: { onClose: () => void }) {
  const set = useSetStandIn();
  const { data } = useAccounts();
  const [form, setForm] = useState({ name: "", to: "", from: "", until: "" });
  const change = (key: keyof typeof form) => (e: React.ChangeEvent<HTMLInputElement>) =>
    setForm({ ...form, [key]: e.target.value });
  const same = form.name !== "" && form.name.trim() === form.to.trim() ? "Choose another person" : undefined;
  const early = form.until && form.from && form.until < form.from ? "It has to end after it starts" : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Set a stand-in"
      description="The stand-in may decide the approvals that ask this person, by name or by role."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={set.isPending}
            disabled={!form.name.trim() || !form.to.trim() || !form.until || !!same || !!early}
            onClick={() => {
              const end = startOf(form.until);
              end.setDate(end.getDate() + 1); // the last day counts
              set.mutate(
                {
                  name: form.name.trim(),
                  to: form.to.trim(),
                  from: form.from ? startOf(form.from).toISOString() : undefined,
                  until: end.toISOString(),
                },
                { onSuccess: onClose },
              );
            }}
          >
            Set stand-in
          </Button>
        </>
      }
    >
      <datalist id="known-people">
        {data?.items.map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="Who is away">
          <Input list="known-people" autoComplete="off" autoFocus value={form.name} onChange={change("name")} />
        </Field>
        <Field label="Stand-in" error={same}>
          <Input list="known-people" autoComplete="off" value={form.to} onChange={change("to")} />
        </Field>
        <Field label="First day" hint="Empty: now">
          <Input type="date" max={dayMax} value={form.from} onChange={change("from")} />
        </Field>
        <Field label="Last day" error={early}>
          <Input type="date" max={dayMax} value={form.until} onChange={change("until")} />
        </Field>
      </div>
      {set.error && <ErrorNote error={set.error} />}
    </Dialog>
  );
}
