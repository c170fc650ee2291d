import { Download, GraduationCap } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useAgents, useMay } from "../api";
import { type Lesson, useCorrectLesson, useLessonPages } from "../api/agents";
import { lineLink } from "../lib/look";
import { Link, useNavigate, useSearch } from "../router";
import { Badge, Button, Card, Diff, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { FilterBar } from "../ui/FilterBar";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { act, format } from "../words";

const CorrectDialog = lazy(async () => ({ default: (await import("./LessonDialogs")).CorrectDialog }));
const RemoveDialog = lazy(async () => ({ default: (await import("./LessonDialogs")).RemoveDialog }));

/** What people corrected: agents receive the most similar ones with their next task. */
export function Lessons() {
  const search = useSearch();
  const navigate = useNavigate();
  const { data: agents } = useAgents();
  const list = useLessonPages({ agent: search.of || undefined, removed: search.removed === "true" || undefined });
  const [open, setOpen] = useState<{ lesson: Lesson; to: "correct" | "remove" }>();
  const editable = useMay()("admin");
  const { data, error } = list;
  const listed = data?.items.find(({ id }) => id === open?.lesson.id);
  // One that is no longer listed was removed while the dialog was open.
  const away = useLessonPages({ removed: true }, !!open && !!data && !listed).data?.items;
  /** The lesson as it is now, while it is edited, and as it was when the dialog opened. */
  const edited = (lesson: Lesson) => ({
    lesson: listed ?? away?.find(({ id }) => id === lesson.id) ?? lesson,
    opened: lesson,
  });
  const set = (key: string, value: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, tab: "lessons", [key]: value }) }, { replace: true });
  return (
    <>
      <FilterBar
        filters={[
          {
            key: "of",
            label: "Agent",
            any: "All agents",
            options: (agents?.items ?? []).map(({ name }) => ({ value: name, label: format.title(name) })),
          },
          {
            key: "removed",
            label: "Status",
            any: "In use",
            options: [{ value: "true", label: "Removed" }],
          },
        ]}
        chosen={search}
        onChange={set}
        onClear={() => void navigate({ search: { tab: "lessons" } }, { replace: true })}
      >
        <Button asChild className="ml-auto">
          <a href={`/api/v1/lessons.jsonl${search.of ? `?agent=${encodeURIComponent(search.of)}` : ""}`} download>
            <Download aria-hidden /> Export
          </a>
        </Button>
      </FilterBar>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      {data?.items.length === 0 && (
        <EmptyState icon={GraduationCap} title={search.removed === "true" ? "No removed lessons" : "No lessons yet"}>
          When people edit, reject or send back an agent's work, it is kept here and told to the agent next time.
        </EmptyState>
      )}
      <ul aria-label="Lessons" className="space-y-3">
        {data?.items.map((lesson) => (
          <li key={lesson.id}>
            <Card>
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Badge tone={act[lesson.act].tone} icon={act[lesson.act].icon}>
                  {act[lesson.act].done}
                </Badge>
                <span className="font-medium break-words">
                  <Visible text={format.title(lesson.tool || lesson.operation || lesson.step)} />
                </span>
                <span className="text-small text-muted">
                  <Visible text={`${format.title(lesson.agent)} · by ${lesson.by} · `} />
                  <Time at={lesson.at} /> ·{" "}
                  <Link to="/runs/$id" params={{ id: lesson.run }} className={lineLink}>
                    run of {format.title(lesson.workflow)}
                  </Link>
                </span>
              </p>
              {lesson.comment && (
                <p className="mt-2 break-words">
                  “<Visible text={lesson.comment} />”
                </p>
              )}
              <Corrected lesson={lesson} />
              {lesson.diff.length > 0 && (
                <div className="mt-2">
                  <Diff changes={lesson.diff} />
                </div>
              )}
              {editable && <Acts lesson={lesson} onOpen={(to) => setOpen({ lesson, to })} />}
            </Card>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-3" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      <Suspense>
        {open?.to === "correct" && <CorrectDialog {...edited(open.lesson)} onClose={() => setOpen(undefined)} />}
        {open?.to === "remove" && <RemoveDialog {...edited(open.lesson)} onClose={() => setOpen(undefined)} />}
      </Suspense>
    </>
  );
}

/** What agents are told instead, and by whom that was decided. */
function Corrected({ lesson }: { lesson: Lesson }) {
  const { correction } = lesson;
  if (!correction) return null;
  return (
    <div className="mt-2 rounded-md bg-info-bg px-3 py-2 break-words text-info-text">
      <p className="text-small">
        {correction.removed ? "Removed" : "Corrected"} by <Visible text={correction.by} />, <Time at={correction.at} />
        {correction.reason && (
          <>
            : <Visible text={correction.reason} />
          </>
        )}
      </p>
      {correction.text && !correction.removed && (
        <p>
          Agents are told: “<Visible text={correction.text} />”
        </p>
      )}
    </div>
  );
}

function Acts({ lesson, onOpen }: { lesson: Lesson; onOpen: (to: "correct" | "remove") => void }) {
  const restore = useCorrectLesson();
  const about = format.title(lesson.tool || lesson.operation || lesson.step);
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {lesson.correction?.removed ? (
        <Button
          size="small"
          loading={restore.isPending}
          aria-label={`Restore the lesson about ${about}`}
          onClick={() => {
            keepFocus();
            restore.mutate({ id: lesson.id, version: lesson.version, text: lesson.correction?.text });
          }}
        >
          Restore
        </Button>
      ) : (
        <>
          <Button size="small" aria-label={`Correct the lesson about ${about}`} onClick={() => onOpen("correct")}>
            Correct…
          </Button>
          <Button
            size="small"
            look="danger-outlined"
            aria-label={`Remove the lesson about ${about}`}
            onClick={() => onOpen("remove")}
          >
            Remove…
          </Button>
        </>
      )}
      {restore.error && <ErrorNote error={restore.error} />}
    </div>
  );
}
