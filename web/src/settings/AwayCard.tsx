import { useState } from "react";
import { useMe } from "../api";
import { useRemoveStandIn, useSetStandIn, useStandIns } from "../api/access";
import { dayMax, startOf } from "../people/day";
import { Button, Card, ErrorNote, Field, Input, Time, toast } from "../ui";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";

/** Who decides for the user while they are away. */
export function AwayCard() {
  const { data: me } = useMe();
  const { data, error } = useStandIns();
  const set = useSetStandIn();
  const remove = useRemoveStandIn();
  const [form, setForm] = useState({ to: "", from: "", until: "" });
  if (me?.kind !== "person") return null;
  const own = data?.items.find((one) => one.name === me.name);
  const others = data?.items.filter((one) => one.to === me.name) ?? [];
  const change = (key: keyof typeof form) => (e: React.ChangeEvent<HTMLInputElement>) =>
    setForm({ ...form, [key]: e.target.value });
  const same = form.to.trim() === me.name ? "Choose another person" : undefined;
  const early = form.until && form.from && form.until < form.from ? "It has to end after it starts" : undefined;
  return (
    <Card title="Away">
      <p className="mb-3 text-small text-muted">
        A stand-in decides the approvals that ask you, by name or by role, from one day until another. What they decide
        is recorded with both names.
      </p>
      {error && <ErrorNote error={error} />}
      {own ? (
        <div className="flex flex-wrap items-center gap-3">
          <p className="min-w-0 flex-1 break-words" role="status">
            <Visible text={own.to} /> {own.counts ? "decides" : "will decide"} for you from <Time at={own.from} /> until{" "}
            <Time at={own.until} />.
            {own.set_by !== me.name && (
              <span className="block text-small text-muted">
                Set by <Visible text={own.set_by} />
              </span>
            )}
          </p>
          <Button
            loading={remove.isPending}
            onClick={() => {
              keepFocus();
              remove.mutate({ name: me.name });
            }}
          >
            End it
          </Button>
        </div>
      ) : (
        <form
          className="grid gap-4 sm:grid-cols-3"
          onSubmit={(event) => {
            event.preventDefault();
            keepFocus();
            const end = startOf(form.until);
            end.setDate(end.getDate() + 1); // the last day counts
            set.mutate(
              {
                name: me.name,
                to: form.to.trim(),
                from: form.from ? startOf(form.from).toISOString() : undefined,
                until: end.toISOString(),
              },
              {
                onSuccess: () => {
                  setForm({ to: "", from: "", until: "" });
                  toast({ title: "Stand-in set", tone: "ok" });
                },
              },
            );
          }}
        >
          <Field label="Stand-in" hint="The name of an approver" error={same}>
            <Input autoComplete="off" value={form.to} onChange={change("to")} />
          </Field>
          <Field label="First day" hint="Empty: today">
            <Input type="date" max={dayMax} value={form.from} onChange={change("from")} />
          </Field>
          <Field label="Last day" error={early}>
            <Input type="date" max={dayMax} value={form.until} onChange={change("until")} />
          </Field>
          <div>
            <Button
              type="submit"
              loading={set.isPending}
              disabled={!form.to.trim() || !form.until || !!same || !!early}
            >
              Set stand-in
            </Button>
          </div>
        </form>
      )}
      {(set.error || remove.error) && (
        <div className="mt-3">
          <ErrorNote error={set.error ?? remove.error} />
        </div>
      )}
      {others.map((one) => (
        <p key={one.name} className="mt-3 text-small break-words text-muted">
          You {one.counts ? "decide" : "will decide"} for <Visible text={one.name} /> until <Time at={one.until} />.
        </p>
      ))}
    </Card>
  );
}
