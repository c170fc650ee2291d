import { Download, ScrollText, X } from "lucide-react";
import { useState } from "react";
import { useSearch as useFound } from "../api";
import { type AuditFilter, useAuditPages } from "../api/audit";
import { useSettledValue } from "../api/policyEdit";
import { type Search, useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Badge, Button, EmptyState, ErrorNote, Input, Menu, MenuItem, MenuSeparator, SkeletonRows } from "../ui";
import { type Filter, FilterBar } from "../ui/FilterBar";
import { NoMatches } from "../ui/PagedList";
import { keepFocus } from "../ui/returnFocus";
import { SearchBox } from "../ui/SearchBox";
import { Visible } from "../ui/Visible";
import { auditOutcome, format } from "../words";
import { Entry } from "./Entry";
import { actions, byDay } from "./say";
import { useVerify } from "./Verify";

const pageSize = 100;
const periods: Record<string, string> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
};

const filters: Filter[] = [
  {
    key: "action",
    label: "Action",
    any: "All actions",
    options: Object.entries(actions).map(([value, { label }]) => ({ value, label })),
  },
  {
    key: "outcome",
    label: "Outcome",
    any: "Done and refused",
    options: Object.entries(auditOutcome).map(([value, { label }]) => ({ value, label })),
  },
  {
    key: "since",
    label: "Period",
    any: "Any time",
    options: Object.entries(periods).map(([value, label]) => ({ value, label })),
  },
];

/** The filter in the URL; unknown values are dropped. */
function filterOf({ actor, action, target, outcome, since }: Search): AuditFilter {
  return {
    actor: actor || undefined,
    action: action || undefined,
    target: target || undefined,
    outcome: outcome === "done" || outcome === "refused" ? outcome : undefined,
    since: since && Object.hasOwn(periods, since) ? since : undefined,
  };
}

/** Who did what, and whether the record of it is intact. */
export function AuditPage() {
  const search = useSearch();
  const navigate = useNavigate();
  const filter = filterOf(search);
  const list = useAuditPages({ ...filter, limit: pageSize });
  const { data, error } = list;
  const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }) }, { replace: true });
  const clear = () => void navigate({ search: {} }, { replace: true });
  const narrowed = Object.values(filter).some(Boolean);
  const { button, result } = useVerify();
  const open = Number(search.entry ?? 0);
  return (
    <Page
      title="Audit"
      lead={
        data
          ? `${format.plural(data.total, "entry", "entries")}${data.more ? " or more" : ""}${narrowed ? (data.total === 1 ? " matches" : " match") : ""}, newest first`
          : "Every decision and every change"
      }
      actions={
        <>
          <Export filter={filter} narrowed={narrowed} />
          {button}
        </>
      }
    >
      {result}
      <Find target={search.target} onChoose={(target) => set({ target, entry: undefined })} />
      <FilterBar
        filters={filters}
        chosen={search}
        onChange={(key, value) => set({ [key]: value, entry: undefined })}
        onClear={clear}
      >
        <SearchBox
          key={search.actor ?? ""}
          q={search.actor ?? ""}
          label="Person or program"
          onSearch={(actor) => set({ actor: actor || undefined, entry: undefined })}
        />
      </FilterBar>
      {list.isPending && <SkeletonRows />}
      {error && (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void list.refetch()}>
              Try again
            </Button>
          }
        />
      )}
      {data?.items.length === 0 &&
        (narrowed ? (
          <NoMatches others="entries" onClear={clear} />
        ) : (
          <EmptyState icon={ScrollText} title="No entries yet">
            Decisions and changes appear here as they are made.
          </EmptyState>
        ))}
      {data &&
        byDay(data.items).map(({ day, entries }) => (
          <section key={day} className="mb-4">
            <h2 className="mb-1.5 text-small font-medium text-muted">{day}</h2>
            <ul aria-label={day} className="divide-y overflow-hidden rounded-md border bg-surface">
              {entries.map((entry) => (
                <Entry
                  key={entry.n}
                  entry={entry}
                  open={entry.n === open}
                  onToggle={() => set({ entry: entry.n === open ? undefined : String(entry.n) })}
                />
              ))}
            </ul>
          </section>
        ))}
      {list.hasNextPage && (
        <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}

/** Finds a decision by its title, or by an id. */
function Find({ target, onChoose }: { target?: string; onChoose: (target: string | undefined) => void }) {
  const [text, setText] = useState("");
  const q = useSettledValue(text.trim(), 250);
  const { data } = useFound(q);
  const found = (data?.items ?? []).filter((one) => one.kind === "approval" || one.kind === "run").slice(0, 6);
  if (target)
    return (
      <p className="mb-3">
        <Button
          size="small"
          onClick={() => {
            keepFocus();
            onChoose(undefined);
          }}
          aria-label={`Remove the filter: only ${about(target)}`}
        >
          Only {about(target)} <X aria-hidden />
        </Button>
      </p>
    );
  const choose = (chosen: string) => {
    keepFocus();
    setText("");
    onChoose(chosen);
  };
  return (
    <form
      role="search"
      className="relative mb-3 max-w-xl"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = text.trim();
        if (/^(run|apr|dlv)_|\//.test(typed)) choose(typed);
        else if (found[0]) choose(found[0].id);
      }}
    >
      <Input
        type="search"
        aria-label="Find a decision or a run"
        placeholder="Find a decision or a run: title, name, or id"
        value={text}
        onChange={(e) => setText(e.target.value)}
      />
      {q !== "" && text !== "" && (
        <ul
          aria-label="Found"
          className="absolute inset-x-0 top-full z-20 mt-1 overflow-hidden rounded-md bg-raised p-1 shadow-overlay"
        >
          {found.length === 0 && data && <li className="px-2 py-2 text-muted">No matches</li>}
          {found.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                onClick={() => choose(one.id)}
                className="flex min-h-(--tap) w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-hover"
              >
                <Badge>{one.kind === "run" ? "Run" : "Decision"}</Badge>
                <span className="min-w-0 flex-1 truncate">
                  <Visible text={one.title || format.title(one.workflow ?? "")} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

/** What a target is, in words. */
function about(target: string): string {
  if (target.startsWith("run_")) return `the run ${format.shortId(target)}`;
  if (target.startsWith("apr_")) return `the approval ${format.shortId(target)}`;
  if (target.startsWith("dlv_")) return `the deliverable ${format.shortId(target)}`;
  return format.title(target.replace("/", " "));
}

function Export({ filter, narrowed }: { filter: AuditFilter; narrowed: boolean }) {
  const query = new URLSearchParams(
    Object.entries(filter).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  ).toString();
  const get = (href: string) => () => {
    const link = document.createElement("a");
    link.href = href;
    link.download = "";
    link.click();
  };
  return (
    <Menu
      trigger={
        <Button>
          <Download aria-hidden /> Export
        </Button>
      }
    >
      <MenuItem onSelect={get(`/api/v1/audit.csv${query ? `?${query}` : ""}`)}>
        {narrowed ? "These entries as a table (CSV)" : "All entries as a table (CSV)"}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={get("/api/v1/audit.jsonl")}>Whole log, to verify elsewhere (JSON lines)</MenuItem>
    </Menu>
  );
}
