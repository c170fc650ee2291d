import { Download, GraduationCap } from "lucide-react";
import { useAgents } from "../api";
import { useLessonPages } from "../api/agents";
import { lineLink } from "../lib/look";
import { Link, useNavigate, useSearch } from "../router";
import { Badge, Button, Card, Diff, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { FilterBar } from "../ui/FilterBar";
import { Visible } from "../ui/Visible";
import { act, format } from "../words";

/** What people corrected: agents receive the most similar ones with their next task. */
export function Lessons() {
  const search = useSearch();
  const navigate = useNavigate();
  const { data: agents } = useAgents();
  const list = useLessonPages({ agent: search.of || undefined });
  const { data, error } = list;
  const set = (of: string | undefined) => void navigate({ search: { tab: "lessons", of } }, { replace: true });
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
        ]}
        chosen={search}
        onChange={(_, value) => set(value)}
        onClear={() => set(undefined)}
      >
        <Button asChild className="ml-auto">
          <a href={`/api/v1/lessons.jsonl${search.of ? `?agent=${encodeURIComponent(search.of)}` : ""}`} download>
            <Download aria-hidden /> Export
          </a>
        </Button>
      </FilterBar>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      {data?.items.length === 0 && (
        <EmptyState icon={GraduationCap} title="No lessons yet">
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
              {lesson.diff.length > 0 && (
                <div className="mt-2">
                  <Diff changes={lesson.diff} />
                </div>
              )}
            </Card>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-3" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}
