import { useQuery } from "@tanstack/react-query";
import { Download, ExternalLink, Eye, FileArchive, PackageOpen } from "lucide-react";
import { useState } from "react";
import { contentUrl, keys, zipUrl } from "../api";
import { problemOf } from "../api/error";
import type { Deliverable } from "../api/types";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { Skeleton } from "../ui/Skeleton";
import { Time } from "../ui/Time";
import { deliverableStatus, deliverableType, format } from "../words";

/** The run's deliverables. */
export function Deliverables({ run, items }: { run: string; items: Deliverable[] }) {
  if (items.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title="Nothing handed in yet">
        Documents, code and data that agents hand in appear here.
      </EmptyState>
    );
  }
  const here = items.filter((d) => d.url === null);
  return (
    <div className="space-y-3 p-4">
      {here.length > 0 && (
        <Button asChild>
          <a href={zipUrl(run)} download>
            <FileArchive /> All as a ZIP, {format.bytes(here.reduce((sum, d) => sum + d.size, 0))}
          </a>
        </Button>
      )}
      <ul className="grid items-start gap-3 md:grid-cols-2">
        {items.map((deliverable) => (
          <DeliverableCard key={deliverable.id} deliverable={deliverable} />
        ))}
      </ul>
    </div>
  );
}

function DeliverableCard({ deliverable: d }: { deliverable: Deliverable }) {
  const [open, setOpen] = useState(false);
  const type = deliverableType(d.type);
  const status = deliverableStatus(d.status);
  const Icon = type.icon;
  return (
    <li className="min-w-0 rounded-md border bg-surface p-3">
      <div className="flex items-start gap-3">
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <div className="min-w-0 flex-1">
          <h3 className="font-medium break-words">{d.name}</h3>
          {d.description && <p className="break-words text-muted">{d.description}</p>}
          <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-small text-muted">
            <Badge tone={status.tone} title={status.sentence}>
              {status.label}
            </Badge>
            <span>{type.label}</span>
            {d.url === null && <span>{format.bytes(d.size)}</span>}
            <span title="Rises each time a file with this name is submitted.">version {d.version}</span>
            <span>
              by {format.title(d.agent || d.step)} <Time at={d.created_at} />
            </span>
          </p>
        </div>
      </div>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        {d.preview !== "none" && d.url === null && (
          <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Eye /> {open ? "Close" : "Look"}
          </Button>
        )}
        {d.url === null ? (
          <Button asChild size="small">
            <a href={contentUrl(d.id)} download={d.name}>
              <Download /> Download
            </a>
          </Button>
        ) : (
          <Button asChild size="small">
            <a href={safeUrl(d.url)} target="_blank" rel="noreferrer noopener" title={d.url}>
              <ExternalLink /> Open the link
            </a>
          </Button>
        )}
      </div>
      {open && <Look deliverable={d} />}
    </li>
  );
}

/** Links come from agents: only web pages are allowed. */
function safeUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined;
}

function Look({ deliverable: d }: { deliverable: Deliverable }) {
  const url = `/api/v1/deliverables/${encodeURIComponent(d.id)}/preview`;
  const text = useQuery({
    queryKey: [...keys.deliverable(d.id), "preview"],
    enabled: d.preview === "text",
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { signal });
      if (!response.ok) throw await problemOf(response);
      return { text: await response.text(), cut: response.headers.get("X-Assent-Cut") === "true" };
    },
  });
  if (d.preview === "image")
    return <img src={url} alt={d.description || d.name} className="mt-3 max-h-96 max-w-full rounded-sm border" />;
  if (text.error) return <ErrorNote error={text.error} />;
  if (!text.data) return <Skeleton className="mt-3 h-24" />;
  return (
    <div className="mt-3">
      <CodeBlock text={text.data.text} />
      {text.data.cut && (
        <p className="mt-1 text-small text-muted">Only the beginning is shown. Download the file to see all of it.</p>
      )}
    </div>
  );
}
