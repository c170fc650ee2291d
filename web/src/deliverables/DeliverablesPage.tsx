import { Download, FileText, LayoutGrid, List } from "lucide-react";
import { useAgents } from "../api";
import { useDeliverable, useDeliverablePages, zipUrl } from "../api/deliverables";
import type { Search } from "../router";
import { Link, useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Button, EmptyState, Sheet, Time } from "../ui";
import { type Filter, FilterBar } from "../ui/FilterBar";
import { PagedList } from "../ui/PagedList";
import { deliverableStatus, deliverableType, format } from "../words";
import { Detail } from "./Detail";
import { byRun, filterOf, type Group, periods, statuses, types } from "./filter";
import { GalleryItems, ListItems } from "./Items";

const pageSize = 60;

/** Deliverables of agents, by run. */
export function DeliverablesPage() {
  const search = useSearch();
  const navigate = useNavigate();
  const filter = filterOf(search);
  const list = useDeliverablePages({ ...filter, limit: pageSize });
  const { data: agents } = useAgents();
  const set = (change: Search, replace = true) =>
    void navigate({ search: (before) => ({ ...before, ...change }) }, { replace });
  const open = (id: string | undefined) => set({ open: id }, false);
  const narrowed = Object.values(filter).some(Boolean);
  const clear = () => set({ agent: undefined, run: undefined, type: undefined, status: undefined, since: undefined });
  const groups = byRun(list.data?.items ?? []);
  const gallery = search.view === "gallery";

  const filters: Filter[] = [
    {
      key: "type",
      label: "Type",
      any: "All types",
      options: types.map((value) => ({ value, label: deliverableType(value).label })),
    },
    {
      key: "status",
      label: "Status",
      any: "Any status",
      options: statuses.map((value) => ({ value, label: deliverableStatus(value).label })),
    },
    {
      key: "agent",
      label: "Agent",
      any: "All agents",
      options: (agents?.items ?? []).map(({ name }) => ({ value: name, label: format.title(name) })),
    },
    {
      key: "since",
      label: "Period",
      any: "Any time",
      options: Object.entries(periods).map(([value, label]) => ({ value, label })),
    },
    ...(search.run
      ? [
          {
            key: "run",
            label: "Run",
            any: "All runs",
            options: [
              {
                value: search.run,
                label: runLabel(
                  groups.find((g) => g.run === search.run),
                  search.run,
                ),
              },
            ],
          },
        ]
      : []),
  ];

  return (
    <Page
      title="Deliverables"
      lead={
        list.data && list.data.total > 0
          ? format.plural(list.data.total, "deliverable")
          : "What agents have made for people"
      }
      actions={<ViewChoice gallery={gallery} onChange={(on) => set({ view: on ? "gallery" : undefined })} />}
    >
      <FilterBar filters={filters} chosen={search} onChange={(key, value) => set({ [key]: value })} onClear={clear} />
      <PagedList list={list} none={<Nothing />} narrowed={narrowed} others="deliverables" onClear={clear}>
        {() => (
          <div className="space-y-4">
            {groups.map((group) => (
              <section key={group.run} className="overflow-hidden rounded-md border bg-surface">
                <GroupHead group={group} />
                {gallery ? (
                  <GalleryItems items={group.items} onOpen={open} />
                ) : (
                  <ListItems items={group.items} onOpen={open} />
                )}
              </section>
            ))}
          </div>
        )}
      </PagedList>
      {search.open && <DetailSheet id={search.open} onOpen={open} />}
    </Page>
  );
}

function runLabel(group: Group | undefined, run: string): string {
  return group ? `${format.title(group.workflow)}, ${format.day(Date.parse(group.at))}` : `Run ${format.shortId(run)}`;
}

function GroupHead({ group }: { group: Group }) {
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b bg-sunken px-4 py-1.5">
      <h2 className="min-w-0 text-control font-semibold">
        <Link to="/runs/$id" params={{ id: group.run }} className="reach underline-offset-2 hover:underline">
          {format.title(group.workflow)}
        </Link>
      </h2>
      <Time at={group.at} className="text-small text-muted" />
      <span className="flex-1" />
      <Button asChild look="ghost" size="small">
        <a href={zipUrl(group.run)} download>
          <Download aria-hidden />
          All of this run (ZIP)
        </a>
      </Button>
    </header>
  );
}

function ViewChoice({ gallery, onChange }: { gallery: boolean; onChange: (gallery: boolean) => void }) {
  const look =
    "flex h-(--tap) items-center gap-1.5 px-2.5 text-control text-muted hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:text-accent-text [&_svg]:size-4";
  return (
    <fieldset aria-label="Show as" className="flex overflow-hidden rounded-sm border">
      <button type="button" aria-pressed={!gallery} className={look} onClick={() => onChange(false)}>
        <List aria-hidden />
        List
      </button>
      <button type="button" aria-pressed={gallery} className={look} onClick={() => onChange(true)}>
        <LayoutGrid aria-hidden />
        Gallery
      </button>
    </fieldset>
  );
}

function Nothing() {
  return (
    <EmptyState icon={FileText} title="No deliverables yet">
      Documents, tables and code that agents make are kept here.
    </EmptyState>
  );
}

function DetailSheet({ id, onOpen }: { id: string; onOpen: (id: string | undefined) => void }) {
  const { data } = useDeliverable(id);
  return (
    <Sheet
      open
      onOpenChange={(is) => !is && onOpen(undefined)}
      title={data?.name ?? "Deliverable"}
      className="sm:w-[min(820px,92vw)]"
    >
      <Detail id={id} onOpen={onOpen} />
    </Sheet>
  );
}
