import { CalendarClock } from "lucide-react";
import { useState } from "react";
import { useMay, useRunSchedule, useSchedules } from "../api";
import type { Schedule } from "../api/types";
import { Link, useNavigate } from "../router";
import { Badge, Button, Card, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { firingOutcome, format } from "../words";
import { Acts, Editing, NewButton } from "./Acts";

/** The schedules in force: when each starts a run next, and what became of the last time. */
export function Schedules() {
  const { data: list, error } = useSchedules();
  const [editing, setEditing] = useState<string>();
  return (
    <Card
      title="Schedules"
      flush
      actions={list && <NewButton kind="schedules" taken={list.items.map((one) => one.name)} />}
    >
      {error && <ErrorNote error={error} />}
      {!list && !error && <SkeletonRows rows={2} />}
      {list?.items.length === 0 && (
        <EmptyState icon={CalendarClock} title="No schedules">
          A schedule starts runs at certain times.
        </EmptyState>
      )}
      <ul aria-label="Schedules" className="divide-y">
        {list?.items.map((schedule) => (
          <Row key={schedule.name} schedule={schedule} onEdit={() => setEditing(schedule.name)} />
        ))}
      </ul>
      <Editing kind="schedules" name={editing} items={list?.items ?? []} onClose={() => setEditing(undefined)} />
    </Card>
  );
}

function Row({ schedule, onEdit }: { schedule: Schedule; onEdit: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const start = useRunSchedule();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium break-words">
          <Visible text={schedule.name} />
        </p>
        <p className="text-small break-words text-muted">
          <Visible text={format.title(schedule.workflow)} />
          {" · "}
          {schedule.next[0] ? (
            <span title={schedule.next.map((at) => format.exact(Date.parse(at))).join("\n")}>
              next <Time at={schedule.next[0]} />
            </span>
          ) : (
            "starts no runs"
          )}
        </p>
      </div>
      <Last schedule={schedule} />
      <div className="flex flex-wrap gap-2 max-sm:basis-full">
        {may("start") && (
          <Button
            size="small"
            aria-label={`Run now: ${schedule.name}`}
            loading={start.isPending}
            onClick={() =>
              start.mutate(
                { name: schedule.name },
                { onSuccess: (run) => void navigate({ to: "/runs/$id", params: { id: run.id } }) },
              )
            }
          >
            Run now
          </Button>
        )}
        <Acts kind="schedules" one={schedule} onEdit={onEdit} />
      </div>
      {start.error && (
        <div className="basis-full">
          <ErrorNote error={start.error} />
        </div>
      )}
    </li>
  );
}

/** What became of the last time. */
function Last({ schedule: { name, last, enabled } }: { schedule: Schedule }) {
  if (!last) return enabled ? null : <Badge>Disabled</Badge>;
  const word = firingOutcome[last.outcome];
  const badge = (
    <Badge tone={word.tone} icon={word.icon} title={last.cause || word.sentence}>
      {word.label} <Time at={last.at} />
    </Badge>
  );
  return (
    <span className="flex flex-wrap items-center gap-2">
      {!enabled && <Badge>Disabled</Badge>}
      {last.run ? (
        <Link to="/runs/$id" params={{ id: last.run }} aria-label={`Last run of ${name}`}>
          {badge}
        </Link>
      ) : (
        badge
      )}
    </span>
  );
}
