import { PlugZap, Wrench } from "lucide-react";
import { useState } from "react";
import { useTools } from "../api";
import { useSettledValue } from "../api/policyEdit";
import { Badge, Button, Card, EmptyState, ErrorNote, Input, JsonView, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { toolName } from "../words/fields";
import { McpServers } from "./McpServers";
import { knownRisk, toolRisk } from "./model";

const sources: Record<string, string> = {
  builtin: "Built in",
  http: "Service",
  command: "Program",
  mcp: "MCP server",
  tool: "Document",
};

/** Everything that agents and steps can call, with its risk; MCP servers with their state. */
export function ToolCatalogue() {
  const [typed, setTyped] = useState("");
  const q = useSettledValue(typed.trim());
  const { data, error } = useTools(q);
  const [open, setOpen] = useState("");
  const tools = (data?.items ?? []).filter((tool) => tool.source !== "agent");
  const notes = (data as { notes?: string[] } | undefined)?.notes ?? [];
  return (
    <>
      <McpServers />
      <Input
        type="search"
        aria-label="Find a tool by its purpose"
        placeholder="Find a tool by its purpose"
        className="mb-4 max-w-xl"
        value={typed}
        onChange={(e) => setTyped(e.target.value)}
      />
      {notes.map((note) => (
        <p key={note} className="mb-3 flex gap-2 rounded-md bg-warn-bg px-3 py-2 text-warn-text">
          <PlugZap aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{note}</span>
        </p>
      ))}
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={5} />}
      {data && tools.length === 0 && (
        <EmptyState icon={Wrench} title="No matches">
          No tool matches these words.
        </EmptyState>
      )}
      {tools.length > 0 && (
        <Card flush>
          <ul aria-label="Tools" className="divide-y">
            {tools.map((tool) => (
              <li key={tool.name} className="px-4 py-3">
                <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <p className="min-w-0 flex-1 basis-48 font-medium break-words">
                    <Visible text={toolName(tool.name)} />
                  </p>
                  <Badge>
                    {tool.server ? `Server ${tool.server}` : (sources[tool.source] ?? format.title(tool.source))}
                  </Badge>
                  {knownRisk(tool.risk) ? (
                    <Badge tone={toolRisk[tool.risk].tone}>{toolRisk[tool.risk].label}</Badge>
                  ) : (
                    <Badge tone="warn" title="An unknown risk is not treated as safe.">
                      Not rated
                    </Badge>
                  )}
                  <Button
                    size="small"
                    look="ghost"
                    aria-expanded={open === tool.name}
                    aria-label={`Arguments of ${toolName(tool.name)}`}
                    onClick={() => setOpen(open === tool.name ? "" : tool.name)}
                  >
                    Arguments
                  </Button>
                </div>
                {tool.description && (
                  <p className="mt-0.5 max-w-3xl text-small break-words text-muted">
                    <Visible text={tool.description} />
                  </p>
                )}
                {tool.why && tool.why.length > 0 && (
                  <p className="mt-0.5 text-small break-words text-accent-text">
                    <Visible text={tool.why.join(" · ")} />
                  </p>
                )}
                {open === tool.name && (
                  <div className="mt-2">
                    {tool.args_schema ? (
                      <JsonView value={tool.args_schema} />
                    ) : (
                      <p className="text-small text-muted">Accepts any arguments.</p>
                    )}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
