import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { useTools } from "../api";
import { type McpServer, useCheckServer, useMcpServers } from "../api/agents";
import { Badge, Button, Card, ErrorNote, Time } from "../ui";
import { FoldedText } from "../ui/FoldedText";
import { Visible } from "../ui/Visible";
import { format, serverState } from "../words";
import { knownRisk, toolRisk } from "./model";

/** The MCP servers: whether they answer, since when not and why, and their tools. */
export function McpServers() {
  const { data, error } = useMcpServers();
  if (error) return <ErrorNote error={error} />;
  if (!data || data.items.length === 0) return null;
  return (
    <Card title="MCP servers" flush className="mb-4">
      <ul aria-label="MCP servers" className="divide-y">
        {data.items.map((server) => (
          <One key={server.name} server={server} />
        ))}
      </ul>
    </Card>
  );
}

function One({ server }: { server: McpServer }) {
  const check = useCheckServer();
  const [open, setOpen] = useState(false);
  const state = serverState[server.state];
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="min-w-0 flex-1 basis-48 font-medium break-words">
          <Visible text={server.name} />
          <span className="ml-2 text-small font-normal text-muted">
            {server.program ? "Program" : "Service"} <Visible text={server.place} />
          </span>
        </p>
        <Badge tone={state.tone} icon={state.icon} title={state.sentence}>
          {state.label}
        </Badge>
        <Button
          size="small"
          look="ghost"
          aria-expanded={open}
          aria-label={`${format.plural(server.tools, "tool")} of ${server.name}`}
          disabled={server.tools === 0}
          onClick={() => setOpen(!open)}
        >
          {format.plural(server.tools, "tool")}
        </Button>
        <Button
          size="small"
          look="ghost"
          aria-label={`Check ${server.name}`}
          loading={check.isPending}
          onClick={() => check.mutate(server.name)}
        >
          <RefreshCw aria-hidden /> Check
        </Button>
      </div>
      {server.description && (
        <p className="mt-0.5 max-w-3xl text-small break-words text-muted">
          <Visible text={server.description} />
        </p>
      )}
      <p className="mt-0.5 text-small text-muted">
        {server.failing_since && (
          <>
            Failing since <Time at={server.failing_since} /> ·{" "}
          </>
        )}
        {server.seen_at ? (
          <>
            Last answered <Time at={server.seen_at} />
          </>
        ) : (
          "Never answered"
        )}
      </p>
      {server.why && (
        <div className="mt-1 text-small text-bad-text">
          <FoldedText text={server.why} />
        </div>
      )}
      {check.error && <ErrorNote error={check.error} />}
      {open && <ItsTools name={server.name} />}
    </li>
  );
}

function ItsTools({ name }: { name: string }) {
  const { data } = useTools();
  const tools = (data?.items ?? []).filter((tool) => tool.server === name);
  return (
    <ul aria-label={`Tools of ${name}`} className="mt-2 divide-y rounded-sm bg-sunken px-3">
      {tools.map((tool) => (
        <li key={tool.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-small">
          <span className="min-w-0 flex-1 basis-40 break-words">
            <Visible text={format.title(tool.name.replace(/^mcp:[^/]*\//, ""))} />
          </span>
          {knownRisk(tool.risk) ? (
            <Badge tone={toolRisk[tool.risk].tone}>{toolRisk[tool.risk].label}</Badge>
          ) : (
            <Badge tone="warn">Not rated</Badge>
          )}
        </li>
      ))}
    </ul>
  );
}
