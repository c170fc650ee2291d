import { ChevronDown, Download, ExternalLink, FileSearch } from "lucide-react";
import type { AuditEntry } from "../api/audit";
import { isRaw, type Raw, rawOf } from "../json";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Badge, Button, CopyButton, JsonView } from "../ui";
import { Visible } from "../ui/Visible";
import { actorKind, auditOutcome, format } from "../words";
import { detailOf, didText, reasonOf, whoText } from "./say";

/** One entry: who did what in a sentence, and everything about it on request. */
export function Entry({ entry, open, onToggle }: { entry: AuditEntry; open: boolean; onToggle: () => void }) {
  const reason = reasonOf(entry);
  const Icon = actorKind[entry.actor.kind].icon;
  const refused = entry.outcome === "refused";
  const minor = entry.action === "events.sealed";
  return (
    <li id={`entry-${entry.n}`}>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="flex min-h-11 w-full items-start gap-3 px-4 py-2.5 text-left -outline-offset-2 hover:bg-hover"
      >
        <time
          dateTime={entry.at}
          title={format.exact(Date.parse(entry.at))}
          className="w-11 shrink-0 text-small leading-5 text-muted tabular-nums"
        >
          {format.clock(Date.parse(entry.at))}
        </time>
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted max-sm:hidden" />
        <span className={cn("min-w-0 flex-1 break-words", minor && "text-muted")}>
          <span className="font-medium">
            <Visible text={whoText(entry.actor)} />
          </span>{" "}
          <Visible text={didText(entry)} />
          {reason && (
            <span className="block text-small text-muted">
              “<Visible text={reason} />”
            </span>
          )}
        </span>
        {refused && <Badge tone={auditOutcome.refused.tone}>{auditOutcome.refused.label}</Badge>}
        <span className="shrink-0 text-small leading-5 text-muted tabular-nums max-sm:hidden">No. {entry.n}</span>
        <ChevronDown aria-hidden className={cn("mt-0.5 size-4 shrink-0 text-muted", open && "rotate-180")} />
      </button>
      {open && <Details entry={entry} />}
    </li>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const detail = detailOf(entry);
  const roles = Array.isArray(detail.roles) ? detail.roles.map(String) : [];
  const values = Object.entries(entry.values ?? {});
  const facts: [string, React.ReactNode][] = [
    ["Entry", `${format.count(entry.n)}`],
    ["Time", format.exact(Date.parse(entry.at))],
    ["By", `${whoText(entry.actor)} (${actorKind[entry.actor.kind].label.toLowerCase()})`],
    ...(roles.length > 0 ? ([["With the roles", roles.map(format.title).join(", ")]] as [string, string][]) : []),
    ["Outcome", auditOutcome[entry.outcome].label],
    ["Hash", <Hash key="hash" text={entry.hash} label="hash of this entry" />],
    ["Previous entry", <Hash key="prev" text={entry.prev} label="hash of the previous entry" />],
  ];
  return (
    <div className="border-t bg-sunken px-4 py-3 sm:pl-[5.75rem]">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {values.map(([name, value]) => (
        <section key={name} className="mt-3">
          <h4 className="mb-1 text-small font-medium">{format.title(name)}</h4>
          <JsonView value={isRaw(value) ? value : rawOf(value)} />
        </section>
      ))}
      <div className="mt-3 flex flex-wrap gap-2">
        {entry.target.startsWith("apr_") && (
          <Button asChild size="small">
            <Link to="/approvals/$id" params={{ id: entry.target }}>
              <ExternalLink aria-hidden /> Open the approval
            </Link>
          </Button>
        )}
        {entry.run && (
          <>
            <Button asChild size="small">
              <Link to="/runs/$id" params={{ id: entry.run }}>
                <ExternalLink aria-hidden /> Open the run
              </Link>
            </Button>
            <Button asChild size="small">
              <Link search={{ target: entry.run }}>
                <FileSearch aria-hidden /> Everything about this run
              </Link>
            </Button>
            <Button asChild size="small">
              <a href={`/api/v1/runs/${encodeURIComponent(entry.run)}/proof`} download>
                <Download aria-hidden /> Download the proof
              </a>
            </Button>
          </>
        )}
      </div>
      <section className="mt-3">
        <h4 className="mb-1 text-small font-medium">As recorded</h4>
        <JsonView value={entry.detail as Raw} />
      </section>
    </div>
  );
}

function Hash({ text, label }: { text: string; label: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1 pointer-coarse:min-h-11">
      <code className="truncate text-meta">{text}</code>
      <CopyButton text={text} label={`Copy the ${label}`} />
    </span>
  );
}
