import { useState } from "react";
import { type MyNotifications, type Preferences, usePreferences, useSavePreferences } from "../api/notifications";
import { Button, Card, ErrorNote, Field, Input, Skeleton, toast } from "../ui";
import { EventTable } from "./EventTable";
import { Quiet } from "./Quiet";
import { Summaries } from "./Summaries";

/** Which notifications the user gets, where, and the hours without any. */
export function PreferencesCard() {
  const { data, error } = usePreferences();
  if (error && !data) return <ErrorNote error={error} />;
  if (!data) return <Skeleton className="h-64" />;
  return <Form mine={data} />;
}

/** The preferences without what they are chosen from. */
function chosen({ channels: _, default: __, ...own }: MyNotifications): Preferences {
  return own;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The draft over what is saved now: what the user has changed stays, the rest is as saved. */
function rebased(draft: Preferences, before: Preferences, now: Preferences): Preferences {
  const changed = (key: keyof Preferences) => !same(draft[key], before[key]);
  const keys = Object.keys({ ...draft, ...now }) as (keyof Preferences)[];
  return Object.fromEntries(
    keys.map((key) => [key, changed(key) ? draft[key] : now[key]]).filter(([, value]) => value !== undefined),
  );
}

function Form({ mine }: { mine: MyNotifications }) {
  const saved = chosen(mine);
  const [draft, setDraft] = useState<Preferences>(saved);
  const [known, setKnown] = useState(mine);
  if (mine !== known) {
    // Saved here or elsewhere, or the channels changed. The form stays, and with it the focus and what is not saved yet.
    setKnown(mine);
    setDraft((draft) => rebased(draft, chosen(known), saved));
  }
  const save = useSavePreferences();
  const changed = !same(sorted(draft), sorted(saved));
  const set = (change: Partial<Preferences>) => setDraft((before) => without({ ...before, ...change }));
  const wrong = (path: string) =>
    (save.error as { errors?: { path: string; message: string }[] } | null)?.errors?.find((e) => e.path === path)
      ?.message;
  return (
    <Card title="Where you are told">
      <form
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(draft, {
            onSuccess: (now) => {
              setDraft(chosen(now));
              toast({ title: "Saved", tone: "ok" });
            },
          });
        }}
      >
        <EventTable
          channels={mine.channels}
          byDefault={mine.default.events}
          events={draft.events ?? {}}
          onChange={(events) => set({ events })}
        />
        <Field
          label="E-mail address"
          hint="Notifications by e-mail are sent here."
          error={wrong("email")}
          className="max-w-96"
        >
          <Input
            type="email"
            autoComplete="email"
            value={draft.email ?? ""}
            onChange={(event) => set({ email: event.target.value || undefined })}
          />
        </Field>
        <Quiet
          hours={draft.quiet_hours ?? undefined}
          byDefault={mine.default.quiet_hours ?? undefined}
          off={draft.no_quiet_hours ?? false}
          onChange={(quiet_hours, no_quiet_hours) => set({ quiet_hours, no_quiet_hours })}
          wrong={(key) => wrong(`quiet_hours.${key}`)}
        />
        <Summaries
          digest={draft.digest ?? undefined}
          byDefault={mine.default.digest ?? undefined}
          onChange={(digest) => set({ digest })}
          noMail={draft.no_mail_summaries ?? false}
          onNoMail={(no_mail_summaries) => set({ no_mail_summaries })}
          wrong={(key) => wrong(`digest.${key}`)}
        />
        {save.error && <ErrorNote error={save.error} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" look="filled" disabled={!changed && !save.isSuccess} loading={save.isPending}>
            Save
          </Button>
          {changed && (
            <Button look="ghost" onClick={() => setDraft(saved)}>
              Discard changes
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

const sorted = (p: Preferences) => Object.entries(p).sort(([a], [b]) => a.localeCompare(b));

/** Leaves out what is not set, so that it is as by default and equal to what was saved. */
function without(p: Preferences): Preferences {
  return Object.fromEntries(
    Object.entries(p).filter(([, value]) => value !== undefined && value !== false && value !== ""),
  ) as Preferences;
}
