import { Lightbulb, Plus, SearchX, Trash2, Waypoints } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import {
  deleteWorkingCopy,
  type Template,
  useAllWorkflows,
  useMay,
  useTemplates,
  useWorkingCopies,
  type WorkingCopy,
} from "../api";
import type { Document } from "../api/types";
import { plain } from "../json";
import { Link, useSearch } from "../router";
import { Page } from "../shell";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { Input } from "../ui/Input";
import { SkeletonRows } from "../ui/Skeleton";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { author } from "../words/author";
import { useDiscarded } from "./discard";
import { readFlow } from "./model/flow";
import { Picture } from "./Picture";
import { contentOf, toSend } from "./useEditor";

const NewDialog = lazy(() => import("./NewDialog"));
const DiscardDialog = lazy(() => import("./DiscardDialog"));
const DescribeDialog = lazy(() => import("./DescribeDialog"));

interface Entry {
  name: string;
  description: string;
  yaml: string;
  published?: Document;
  /** The newest version, unless it is the published one. */
  newer?: Document;
  /** What people edit. */
  copy?: WorkingCopy;
  at: string;
  by: string;
}

/** One entry for each workflow: what people edit, else the newest version. */
function entriesOf(documents: readonly Document[], copies: readonly WorkingCopy[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const doc of documents) {
    const before = all.get(doc.name);
    all.set(doc.name, {
      name: doc.name,
      description: plain<{ description?: string }>(doc.definition)?.description ?? "",
      yaml: doc.yaml,
      published: doc.published ? doc : before?.published,
      newer: doc.published ? undefined : doc,
      at: doc.at,
      by: doc.by,
    });
  }
  for (const copy of copies) {
    const before = all.get(copy.name);
    all.set(copy.name, {
      name: copy.name,
      description: readFlow(copy.yaml).flow?.description || before?.description || "",
      yaml: copy.yaml,
      published: before?.published,
      newer: before?.newer,
      copy,
      at: copy.at,
      by: copy.by,
    });
  }
  return [...all.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** All workflows and templates, each with a picture. */
export function GalleryPage() {
  const may = useMay();
  const workflows = useAllWorkflows();
  const copies = useWorkingCopies();
  const templates = useTemplates();
  const [query, setQuery] = useState("");
  const [creating, setCreating] = useState<{ from?: Template }>();
  const [discarding, setDiscarding] = useState<Entry>();
  const discarded = useDiscarded();
  const search = useSearch();
  const [describing, setDescribing] = useState(search.intent !== undefined);
  const entries = useMemo(
    () => entriesOf(workflows.data?.items ?? [], copies.data?.items ?? []),
    [workflows.data, copies.data],
  );
  const wanted = query.trim().toLowerCase();
  const fits = (...texts: string[]) => wanted === "" || texts.some((t) => t.toLowerCase().includes(wanted));
  const shown = entries.filter((e) => fits(e.name, e.description, format.title(e.name)));
  const offered = (templates.data?.items ?? []).filter((t) => fits(t.name, t.title, t.summary));
  const error = workflows.error ?? copies.error;
  return (
    <Page
      title="Workflows"
      lead="Draw, test and publish them"
      actions={
        may("admin") && (
          <>
            <Button onClick={() => setDescribing(true)}>
              <Lightbulb aria-hidden /> Describe it
            </Button>
            <Button look="filled" onClick={() => setCreating({})}>
              <Plus aria-hidden /> New workflow
            </Button>
          </>
        )
      }
    >
      <div className="space-y-6">
        <Input
          type="search"
          aria-label="Search workflows and templates"
          placeholder="Search workflows and templates…"
          value={query}
          onChange={(e) => setQuery(e.target.value)}
          className="max-w-96"
        />
        {error && <ErrorNote error={error} />}
        {workflows.isPending && !error && <SkeletonRows rows={3} className="h-28" />}
        {workflows.data && shown.length === 0 && (
          <EmptyState
            icon={wanted ? SearchX : Waypoints}
            title={wanted ? "No matches" : "No workflows yet"}
            action={
              !wanted &&
              may("admin") && (
                <Button look="filled" onClick={() => setCreating({})}>
                  <Plus aria-hidden /> New workflow
                </Button>
              )
            }
          >
            {wanted ? "Try other words." : "Start from a template below, or from nothing."}
          </EmptyState>
        )}
        {shown.length > 0 && (
          <ul aria-label="Workflows" className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {shown.map((entry) => (
              <WorkflowCard
                key={entry.name}
                entry={entry}
                onDiscard={may("admin") ? () => setDiscarding(entry) : undefined}
              />
            ))}
          </ul>
        )}
        {may("admin") && offered.length > 0 && (
          <section aria-labelledby="templates">
            <h2 id="templates" className="mb-3 text-lead font-semibold">
              Templates
            </h2>
            <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
              {offered.map((template) => (
                <Tile
                  key={template.name}
                  yaml={template.yaml}
                  title={template.title}
                  text={template.summary}
                  foot={
                    <Button
                      size="small"
                      aria-label={`Use the template ${template.title}`}
                      onClick={() => setCreating({ from: template })}
                    >
                      Use
                    </Button>
                  }
                />
              ))}
            </ul>
          </section>
        )}
      </div>
      {describing && workflows.data && copies.data && may("admin") && (
        <Suspense>
          <DescribeDialog
            intent={search.intent ?? ""}
            agent={search.agent ?? ""}
            taken={new Set(entries.map((e) => e.name))}
            onClose={() => setDescribing(false)}
          />
        </Suspense>
      )}
      {discarding?.copy && (
        <Suspense>
          <DiscardEntry
            entry={discarding}
            copy={discarding.copy}
            onDone={discarded}
            onClose={() => setDiscarding(undefined)}
          />
        </Suspense>
      )}
      {creating && (
        <Suspense>
          <NewDialog
            from={creating.from}
            taken={new Set(entries.map((e) => e.name))}
            onClose={() => setCreating(undefined)}
          />
        </Suspense>
      )}
    </Page>
  );
}

function DiscardEntry(props: {
  entry: Entry;
  copy: WorkingCopy;
  onDone: ReturnType<typeof useDiscarded>;
  onClose: () => void;
}) {
  const { entry, copy, onDone, onClose } = props;
  const content = useMemo(() => contentOf(copy), [copy]);
  const kept = entry.published ?? entry.newer;
  return (
    <DiscardDialog
      name={copy.name}
      content={content}
      kept={kept && { version: kept.version, published: kept.published }}
      discard={async () => void (await deleteWorkingCopy(copy.name, copy.revision))}
      onDone={() => {
        onClose();
        onDone(copy.name, toSend(content, copy.base));
      }}
      onClose={onClose}
    />
  );
}

function WorkflowCard({ entry, onDiscard }: { entry: Entry; onDiscard?: () => void }) {
  const { published, newer, copy } = entry;
  const draft = copy && copy.yaml !== published?.yaml;
  const draftWord = draft ? (published ? "Unpublished changes" : "Draft") : undefined;
  return (
    <Tile
      yaml={entry.yaml}
      title={
        <Link
          to="/workflows/$id"
          params={{ id: entry.name }}
          className="after:absolute after:inset-0 after:rounded-md hover:underline"
        >
          {format.title(entry.name)}
        </Link>
      }
      text={entry.description}
      foot={
        <>
          {published && <Badge tone="ok">Published · version {published.version}</Badge>}
          {draftWord && <Badge tone="warn">{draftWord}</Badge>}
          {!copy && newer && <Badge tone="warn">Version {newer.version} is not published</Badge>}
          <span className="ml-auto truncate text-meta text-muted">
            <Visible text={author(entry.by)} /> · <Time at={entry.at} />
          </span>
          {draft && onDiscard && (
            <IconButton
              label={`Discard the draft of ${format.title(entry.name)}`}
              className="relative -my-2"
              onClick={onDiscard}
            >
              <Trash2 aria-hidden />
            </IconButton>
          )}
        </>
      }
    />
  );
}

function Tile({ yaml, title, text, foot }: { yaml: string; title: ReactNode; text: string; foot: ReactNode }) {
  return (
    <li className="relative flex min-w-0 flex-col overflow-hidden rounded-md border bg-surface transition-colors focus-within:border-accent hover:border-border-strong">
      <Picture yaml={yaml} className="h-28 w-full bg-sunken px-4 py-3" />
      <div className="flex flex-1 flex-col gap-1 border-t p-3">
        <h3 className="font-medium break-words">{title}</h3>
        <p className="line-clamp-2 min-h-10 text-control text-muted">{text}</p>
        <div className="mt-auto flex flex-wrap items-center gap-2 pt-2">{foot}</div>
      </div>
    </li>
  );
}
