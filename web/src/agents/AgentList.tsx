import { Bot, Plus } from "lucide-react";
import { useState } from "react";
import { type Document, type Insights, useAgents, useInsights, useMay } from "../api";
import { type AgentUsage, useAgentUsage } from "../api/agents";
import { useNavigate, useSearch } from "../router";
import { Badge, Button, EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { AgentDialog } from "./AgentDialog";
import { autonomies, autonomyOf, countedSince, kindText, readAgent, usageText } from "./model";

/** The agents in force: what they are, how far they go alone, and how their work was received. */
export function AgentList() {
  const { data, error } = useAgents();
  const { data: figures } = useInsights({ since: "30d" }, "");
  const { data: usage, error: unknown } = useAgentUsage();
  const may = useMay();
  const { agent: open } = useSearch();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const show = (name?: string) => void navigate({ search: { agent: name } }, { replace: true });
  const shown = data?.items.find((one) => one.name === open);
  // One that was deleted stays open: the dialog says so, and keeps what was typed.
  const [last, setLast] = useState<string>();
  if (shown && shown.name !== last) setLast(shown.name);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted">
          Figures are for the last 30 days. {usage && countedSince(usage.counted_since)}
        </p>
        {may("admin") && (
          <Button onClick={() => setCreating(true)}>
            <Plus aria-hidden /> New agent
          </Button>
        )}
      </div>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      {!error && unknown && <ErrorNote error={unknown} />}
      {data?.items.length === 0 && (
        <EmptyState icon={Bot} title="No agents">
          An agent does the work of a step: a language model with tools, a service, or a program.
        </EmptyState>
      )}
      <ul aria-label="Agents" className="grid gap-3 md:grid-cols-2 lg:grid-cols-3">
        {data?.items.map((one) => (
          <li key={one.name}>
            <One
              document={one}
              figures={figures}
              counted={usage !== undefined}
              usage={usage?.items.find((u) => u.agent === one.name)}
              onOpen={() => show(one.name)}
            />
          </li>
        ))}
      </ul>
      {open && (shown || last === open) && (
        <AgentDialog
          key={open}
          name={open}
          inForce={shown}
          taken={[]}
          editable={may("admin")}
          onClose={() => {
            setLast(undefined);
            show(undefined);
          }}
        />
      )}
      {creating && (
        <AgentDialog editable taken={data?.items.map((one) => one.name) ?? []} onClose={() => setCreating(false)} />
      )}
    </>
  );
}

interface Props {
  document: Document;
  figures?: Insights;
  /** Whether its use is known; without usage, it was not used. */
  counted: boolean;
  usage?: AgentUsage;
  onOpen: () => void;
}

function One({ document, figures, counted, usage, onOpen }: Props) {
  const agent = readAgent(document.yaml);
  const autonomy = autonomies[autonomyOf(agent.autonomy)];
  const tools = Array.isArray(agent.tools) ? agent.tools.length : 0;
  const used = figures?.agents.find((one) => one.agent === document.name);
  const settled = used ? Object.values(used.settled).reduce((a, b) => a + b, 0) : 0;
  const good = used
    ? (used.settled.approved ?? 0) +
      (used.settled.auto_approved ?? 0) +
      (used.settled.chosen ?? 0) +
      (used.settled.submitted ?? 0)
    : 0;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="flex h-full w-full flex-col rounded-md border bg-surface p-4 text-left hover:border-border-strong hover:bg-hover"
    >
      <span className="flex w-full items-start gap-3">
        <span className="flex size-8 shrink-0 items-center justify-center rounded-sm bg-accent-bg text-accent-text">
          <Bot aria-hidden className="size-4.5" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block font-semibold break-words">
            <Visible text={format.title(document.name)} />
          </span>
          <span className="block text-small break-words text-muted">
            <Visible text={kindText(agent)} />
          </span>
        </span>
        {used && used.failures > 0 ? (
          <Badge tone="bad">{format.plural(used.failures, "failure")}</Badge>
        ) : (
          (settled > 0 || (usage && usage.steps > 0)) && <Badge tone="ok">Healthy</Badge>
        )}
      </span>
      {typeof agent.description === "string" && agent.description && (
        <span className="mt-2 block text-small break-words">
          <Visible text={agent.description} />
        </span>
      )}
      <span className="mt-3 flex flex-wrap gap-1.5">
        {agent.kind === "llm" && <Badge title={autonomy.sentence}>{autonomy.label}</Badge>}
        {tools > 0 && <Badge>{format.plural(tools, "tool")}</Badge>}
      </span>
      <span className="mt-auto block pt-3 text-small">
        {usage ? (
          <>
            {usageText(usage)} · last used <Time at={usage.last_used_at} />
          </>
        ) : (
          counted && <span className="text-muted">Not used</span>
        )}
      </span>
      <span className="block text-small text-muted">
        {settled > 0
          ? `${format.plural(settled, "decision")}, ${format.percent(good / settled)} approved unchanged`
          : "No decisions about its work"}
      </span>
    </button>
  );
}
