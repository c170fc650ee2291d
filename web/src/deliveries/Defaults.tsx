import { Pencil } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useMay } from "../api";
import { useDefaults } from "../api/channels";
import type { Channel } from "../api/notifications";
import { plain } from "../json";
import { Button, Card, ErrorNote, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { notified } from "../words/notifications";
import { referred } from "./text";

const DefaultsDialog = lazy(async () => ({ default: (await import("./DefaultsDialog")).DefaultsDialog }));

/** What is sent where, unless people or workflows choose otherwise. */
export function Defaults({ channels }: { channels: readonly Channel[] }) {
  const { data, error, isPending } = useDefaults();
  const mayChange = useMay()("admin");
  const [editing, setEditing] = useState(false);
  const events = plain<{ events?: Record<string, string[]> }>(data?.definition ?? null)?.events ?? {};
  return (
    <Card
      title="What is sent where"
      flush
      className="mt-4"
      actions={
        mayChange &&
        channels.length > 0 &&
        !isPending && (
          <Button size="small" aria-label="Edit what is sent where" onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit
          </Button>
        )
      }
    >
      {isPending && <SkeletonRows rows={3} />}
      {error && <ErrorNote error={error} />}
      {!isPending && !error && (
        <dl className="divide-y">
          {Object.entries(notified).map(([event, { label, sentence }]) => {
            const told = events[event] ?? [];
            return (
              <div key={event} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2">
                <dt className="min-w-0 flex-1 basis-56">
                  <span className="block font-medium">{label}</span>
                  <span className="block text-small text-muted">{sentence}</span>
                </dt>
                <dd className={told.length > 0 ? "break-words" : "text-muted"}>
                  {told.length > 0 ? (
                    <Visible text={told.map((name) => referred(name, channels)).join(", ")} />
                  ) : (
                    "No message"
                  )}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      <Suspense>
        {editing && <DefaultsDialog channels={channels} inForce={data} onClose={() => setEditing(false)} />}
      </Suspense>
    </Card>
  );
}
