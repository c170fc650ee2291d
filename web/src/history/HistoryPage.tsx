import { History } from "lucide-react";
import { useAgents, useApprovalPages, useWorkflows } from "../api";
import type { Search } from "../router";
import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { EmptyState } from "../ui";
import { type Filter, FilterBar } from "../ui/FilterBar";
import { PagedList } from "../ui/PagedList";
import { SearchBox } from "../ui/SearchBox";
import { approvalKind, format, risk } from "../words";
import { filterOf, narrowed, statusOptions } from "./filter";
import { HistoryRow } from "./HistoryRow";

const pageSize = 50;

/** Decisions by people and rules, newest first. */
export function HistoryPage() {
  const search = useSearch();
  const navigate = useNavigate();
  const list = useApprovalPages({ ...filterOf(search), limit: pageSize });
  const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }) }, { replace: true });
  const clear = () => void navigate({ search: {} }, { replace: true });
  const filters = useFilters();
  const { data } = list;
  return (
    <Page
      title="History"
      lead={
        data && data.total > 0
          ? `${format.count(data.total)}${data.totalIsLowerBound ? " or more" : ""} settled, newest first`
          : "What people and rules decided"
      }
    >
      <FilterBar filters={filters} chosen={search} onChange={(key, value) => set({ [key]: value })} onClear={clear}>
        <SearchBox
          key={`q ${search.q}`}
          label="Search history"
          q={search.q ?? ""}
          onSearch={(q) => set({ q: q || undefined })}
        />
      </FilterBar>
      <PagedList list={list} none={<Nothing />} narrowed={narrowed(search)} others="decisions" onClear={clear}>
        {(items) => (
          <ul className="divide-y overflow-hidden rounded-md border bg-surface">
            {items.map((approval) => (
              <HistoryRow key={approval.id} approval={approval} />
            ))}
          </ul>
        )}
      </PagedList>
    </Page>
  );
}

function useFilters(): Filter[] {
  const { data: workflows } = useWorkflows();
  const { data: agents } = useAgents();
  const names = (items: { name: string }[] | undefined) =>
    (items ?? []).map(({ name }) => ({ value: name, label: format.title(name) }));
  const words = (all: Record<string, { label: string }>) =>
    Object.entries(all).map(([value, { label }]) => ({ value, label }));
  return [
    { key: "status", label: "Outcome", any: "Any outcome", options: statusOptions },
    { key: "workflow", label: "Workflow", any: "All workflows", options: names(workflows?.items) },
    { key: "agent", label: "Agent", any: "All agents", options: names(agents?.items) },
    { key: "risk", label: "Risk", any: "Any risk", options: words(risk) },
    { key: "kind", label: "Kind", any: "Any kind", options: words(approvalKind) },
  ];
}

function Nothing() {
  return (
    <EmptyState icon={History} title="No decisions yet">
      Every decision appears here, with who made it and why.
    </EmptyState>
  );
}
