import { useState } from "react";
import { type MyNotifications, type Preferences, usePreferences, useSavePreferences } from "../api/notifications";
import { Button, Card, ErrorNote, Field, Input, Skeleton, toast } from "../ui";
import { EventTable } from "./EventTable";
import { Quiet } from "./Quiet";
import { Summaries } from "./Summaries";

/** Where the user is told of what, and when not. */
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

function Form({ mine }: { mine: MyNotifications }) {
  const saved = chosen(mine);
  const [draft, setDraft] = useState<Preferences>(saved);
  const [known, setKnown] = useState(mine);
  if (mine !== known) {
    // Saved here or elsewhere. The form stays, and with it the focus.
    setKnown(mine);
    if (JSON.stringify(mine) !== JSON.stringify(known)) setDraft(saved);
  }
  const save = useSavePreferences();
  const changed = JSON.stringify(draft) !== JSON.stringify(saved);
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
          save.mutate(draft, { onSuccess: () => toast({ title: "Saved", tone: "ok" }) });
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

/** Leaves out what is not set, so that it is as by default and equal to what was saved. */
function without(p: Preferences): Preferences {
  return Object.fromEntries(
    Object.entries(p).filter(([, value]) => value !== undefined && value !== false && value !== ""),
  ) as Preferences;
}
