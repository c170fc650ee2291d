import { Download, Waypoints } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMay } from "../api";
import {
  type Experience as Learned,
  type RunTaught,
  useExperience,
  useExportExperience,
  useLearnedRequests,
  useRunsTaught,
} from "../api/experience";
import { lineLink } from "../lib/look";
import { Link } from "../router";
import { Button, Card, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { called } from "../words/suggestion";
import { ForgetDialog, type Target } from "./ForgetDialog";

/** What completed runs taught about tools. Administrators see where it comes from, export it and forget parts of it. */
export function Experience() {
  const { data, error } = useExperience();
  const admin = useMay()("admin");
  const [forgetting, setForgetting] = useState<Target>();
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted">
          What completed runs taught about tools. Searches for tools and suggested plans use it; a run counts half after
          90 days.
        </p>
        {admin && data && data.runs > 0 && (
          <div className="flex flex-wrap gap-3">
            <Export />
            <Button look="danger-outlined" onClick={() => setForgetting({})}>
              Forget…
            </Button>
          </div>
        )}
      </div>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      {data?.runs === 0 && (
        <EmptyState icon={Waypoints} title="Nothing learned yet">
          When a run completes, it teaches which tools worked, and which followed which.
        </EmptyState>
      )}
      {data && data.nodes.length > 0 && (
        <Tools learned={data} onForget={admin ? (tool) => setForgetting({ tool }) : undefined} />
      )}
      {admin && data && data.runs > 0 && (
        <>
          <Requests />
          <Runs onForget={(run) => setForgetting({ run })} />
        </>
      )}
      {forgetting && <ForgetDialog target={forgetting} onClose={() => setForgetting(undefined)} />}
    </>
  );
}

function Export() {
  const taught = useExportExperience();
  return (
    <>
      <Button
        loading={taught.isPending}
        onClick={() =>
          taught.mutate(undefined, {
            onSuccess: (lines) => {
              const link = document.createElement("a");
              link.href = URL.createObjectURL(new Blob([lines], { type: "application/jsonl" }));
              link.download = "experience.jsonl";
              link.click();
              URL.revokeObjectURL(link.href);
            },
          })
        }
      >
        <Download aria-hidden /> Export
      </Button>
      {taught.error && <ErrorNote error={taught.error} />}
    </>
  );
}

/** How one tool is related to others, in words; the strongest relations come first. */
function relations(learned: Learned, tool: string): string[] {
  const of = (kind: string) => learned.edges.filter((edge) => edge.kind === kind);
  const followers = of("then").flatMap(({ from, to }) => (from === tool ? [to] : []));
  const receivers = of("fits").flatMap(({ from, to }) => (from === tool ? [to] : []));
  const together = of("together").flatMap(({ from, to }) => (from === tool ? [to] : to === tool ? [from] : []));
  const say = (words: string, tools: string[]) => (tools.length > 0 ? [words + tools.map(called).join(", ")] : []);
  return [
    ...say("Passes results to ", receivers),
    ...say("Followed by ", followers),
    ...say(
      "Used together with ",
      together.filter((name) => !followers.includes(name)),
    ),
  ];
}

function Tools({ learned, onForget }: { learned: Learned; onForget?: (tool: string) => void }) {
  return (
    <Card title={`Tools, from ${format.plural(learned.runs, "run")}`} flush className="mb-4">
      <ul aria-label="Tools that runs used" className="divide-y">
        {learned.nodes.map(({ tool, runs }) => (
          <Row key={tool} name={called(tool)} onForget={onForget && (() => onForget(tool))}>
            {format.plural(runs, "run")}
            {relations(learned, tool).map((one) => (
              <span key={one} className="block">
                <Visible text={one} />
              </span>
            ))}
          </Row>
        ))}
      </ul>
      {learned.more && <p className="border-t px-4 py-2 text-small text-muted">The most central tools are shown.</p>}
    </Card>
  );
}

/** A thing that was learned, and the button that forgets it. */
function Row({ name, children, onForget }: { name: string; children: ReactNode; onForget?: () => void }) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words">
          <Visible text={name} />
        </p>
        <div className="text-small break-words text-muted">{children}</div>
      </div>
      {onForget && (
        <Button size="small" look="ghost" aria-label={`Forget ${name}`} onClick={onForget}>
          Forget…
        </Button>
      )}
    </li>
  );
}

function Requests() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useLearnedRequests();
  if (error) return <ErrorNote error={error} />;
  return (
    <Card title="Requests" flush className="mb-4">
      {data?.length === 0 && (
        <p className="px-4 py-3 text-muted">
          None. Requests are kept only for workflows that declare them as not sensitive.
        </p>
      )}
      <ul aria-label="Past requests" className="divide-y">
        {data?.map((one) => (
          <Row key={one.request} name={`“${one.request}”`}>
            {one.tools.length > 0 && (
              <span className="block">
                Served by <Visible text={one.tools.map(called).join(", ")} />
              </span>
            )}
            {one.not && one.not.length > 0 && (
              <span className="block">
                Not served by <Visible text={one.not.map(called).join(", ")} />
              </span>
            )}
            {format.plural(one.runs, "run")}, the last <Time at={one.last_at} />
          </Row>
        ))}
      </ul>
      {hasNextPage && (
        <Button className="m-3" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more requests
        </Button>
      )}
    </Card>
  );
}

function Runs({ onForget }: { onForget: (run: RunTaught) => void }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRunsTaught();
  if (error) return <ErrorNote error={error} />;
  if (!data || data.length === 0) return null;
  return (
    <Card title="Runs" flush>
      <ul aria-label="Runs that taught" className="divide-y">
        {data.map((one) => (
          <Row
            key={one.run}
            name={`${format.title(one.workflow)} ${format.shortId(one.run)}`}
            onForget={() => onForget(one)}
          >
            {one.tools.length > 0 && (
              <span className="block">
                <Visible text={one.tools.map(called).join(", ")} />
              </span>
            )}
            <Link to="/runs/$id" params={{ id: one.run }} className={lineLink}>
              Open the run
            </Link>{" "}
            · ended <Time at={one.at} />
          </Row>
        ))}
      </ul>
      {hasNextPage && (
        <Button className="m-3" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more runs
        </Button>
      )}
    </Card>
  );
}
