import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Tabs } from "../ui";
import { AgentList } from "./AgentList";
import { Lessons } from "./Lessons";
import { ToolCatalogue } from "./ToolCatalogue";

const tabs = [
  { value: "agents", label: "Agents", content: <AgentList /> },
  { value: "tools", label: "Tools", content: <ToolCatalogue /> },
  { value: "lessons", label: "Lessons", content: <Lessons /> },
];

/** Who does the work, what they may call, and what people taught them. */
export function AgentsPage() {
  const { tab } = useSearch();
  const navigate = useNavigate();
  const value = tabs.some((one) => one.value === tab) ? tab : "agents";
  return (
    <Page title="Agents" lead="Agents, the tools they call, and what people taught them">
      <Tabs
        label="Agents"
        className="-mx-4 sm:-mx-6 sm:[&>[role=tablist]]:px-6"
        value={value}
        onValueChange={(next) => void navigate({ search: next === "agents" ? {} : { tab: next } }, { replace: true })}
        tabs={tabs.map((one) => ({ ...one, content: <div className="px-4 pt-4 sm:px-6">{one.content}</div> }))}
      />
    </Page>
  );
}
