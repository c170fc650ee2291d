import { Download } from "lucide-react";
import { contentUrl, useDeliverable, useDeliverableVersions, useMarkDeliverable } from "../api/deliverables";
import type { Deliverable } from "../api/types";
import { Preview } from "../content/Preview";
import { Link } from "../router";
import { Badge, Button, CopyButton, ErrorNote, Select, Skeleton, Time, toast } from "../ui";
import { deliverableStatus, deliverableType, format } from "../words";
import { type Status, statuses } from "./filter";

/** One deliverable: content, origin, versions and status. */
export function Detail({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
  const { data: item, error, refetch } = useDeliverable(id);
  return (
    <div className="space-y-4">
      {item ? (
        <Content key={id} item={item} />
      ) : error ? (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      ) : (
        <div role="status" aria-label="Loading" className="space-y-3">
          <Skeleton className="h-8 w-1/2" />
          <Skeleton className="h-64" />
        </div>
      )}
      {!error && <Versions id={id} onOpen={onOpen} />}
      {item && <Facts item={item} />}
    </div>
  );
}

function Content({ item }: { item: Deliverable }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <StatusChoice item={item} />
        {!item.url && (
          <Button asChild>
            <a href={contentUrl(item.id)} download>
              <Download aria-hidden />
              Download, {format.bytes(item.size)}
            </a>
          </Button>
        )}
      </div>
      {item.description && <p dir="auto">{item.description}</p>}
      {!item.newest && (
        <p className="rounded-sm bg-warn-bg px-3 py-2 text-warn-text">
          This is version {item.version}; there is a newer one.
        </p>
      )}
      <Preview item={item} />
    </>
  );
}

/** Only the newest version can change its status. */
function StatusChoice({ item }: { item: Deliverable }) {
  const mark = useMarkDeliverable(item.id);
  const word = deliverableStatus(item.status);
  if (!item.newest) return <Badge tone={word.tone}>{word.label}</Badge>;
  const choose = (status: string) => {
    if (mark.isPending) return; // not disabled then: it would lose the focus
    mark.mutate(
      { status, version: item.version, was: item.status },
      { onSuccess: () => toast({ tone: "ok", title: `Marked as ${deliverableStatus(status).label.toLowerCase()}` }) },
    );
  };
  return (
    <>
      <Select
        label="How it stands"
        value={item.status}
        onValueChange={choose}
        options={[...new Set([item.status as Status, ...statuses])].map((status) => ({
          value: status,
          label: deliverableStatus(status).label,
          hint: deliverableStatus(status).sentence,
        }))}
      />
      {mark.error && (
        <div className="order-last w-full">
          <ErrorNote error={mark.error} />
        </div>
      )}
    </>
  );
}

function Versions({ id, onOpen }: { id: string; onOpen: (id: string) => void }) {
  const { data, error } = useDeliverableVersions(id);
  if (error) return <ErrorNote error={error} />;
  if (!data || data.items.length < 2) return null;
  return (
    <section>
      <h3 className="mb-1 text-control font-semibold">Versions</h3>
      <ul className="divide-y rounded-md border">
        {data.items.map((version) => (
          <li key={version.id}>
            <button
              type="button"
              aria-current={version.id === id ? "true" : undefined}
              onClick={() => onOpen(version.id)}
              className="flex min-h-9 w-full items-center gap-3 px-3 text-left text-control hover:bg-hover aria-[current]:bg-accent-bg pointer-coarse:min-h-11"
            >
              <span className="flex-1">
                Version {version.version}
                {version.newest && <span className="text-muted"> (newest)</span>}
              </span>
              <span className="text-small text-muted">{format.bytes(version.size)}</span>
              <Time at={version.created_at} className="text-small text-muted" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ item }: { item: Deliverable }) {
  const link = "reach text-accent-text underline underline-offset-2";
  const rows: [string, React.ReactNode][] = [
    [
      "Name",
      <span key="name" dir="auto" className="[overflow-wrap:anywhere]">
        {item.name}
      </span>,
    ],
    ["Kind", `${deliverableType(item.type).label}${item.mime_type ? `, ${item.mime_type}` : ""}`],
    ["Made by", format.title(item.agent)],
    ["In step", format.title(item.step)],
    [
      "Run",
      <Link key="run" to="/runs/$id" params={{ id: item.run }} className={link}>
        {format.title(item.workflow)}
      </Link>,
    ],
    ["Made", <Time key="made" at={item.created_at} />],
    ["Version", String(item.version)],
    [
      "ID",
      <span key="id" className="inline-flex items-center gap-1">
        <code className="[overflow-wrap:anywhere]">{item.id}</code>
        <CopyButton text={item.id} label="Copy the id" />
      </span>,
    ],
  ];
  return (
    <dl className="grid grid-cols-[96px_1fr] gap-x-3 gap-y-1.5 border-t pt-4 text-control">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
