import { lazy, Suspense } from "react";
import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { SkeletonRows, Tabs } from "../ui";
import { AgentList } from "./AgentList";
import { Lessons } from "./Lessons";
import { ToolCatalogue } from "./ToolCatalogue";

const Experience = lazy(async () => ({ default: (await import("./Experience")).Experience }));

const tabs = [
  { value: "agents", label: "Agents", content: <AgentList /> },
  { value: "tools", label: "Tools", content: <ToolCatalogue /> },
  { value: "lessons", label: "Lessons", content: <Lessons /> },
  {
    value: "experience",
    label: "Experience",
    content: (
      <Suspense fallback={<SkeletonRows rows={4} />}>
        <Experience />
      </Suspense>
    ),
  },
];

/** Who does the work, what they may call, and what people and runs taught them. */
export function AgentsPage() {
  const { tab } = useSearch();
  const navigate = useNavigate();
  const value = tabs.some((one) => one.value === tab) ? tab : "agents";
  return (
    <Page title="Agents" lead="Agents, the tools they call, and what they learned">
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
