import { Download, EyeOff } from "lucide-react";
import { useState } from "react";
import { contentUrl, previewUrl, usePreviewText } from "../api/deliverables";
import type { Deliverable } from "../api/types";
import { raw } from "../json";
import { cn } from "../lib/cn";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { CopyButton } from "../ui/CopyButton";
import { ErrorNote } from "../ui/ErrorNote";
import { ExternalLink } from "../ui/ExternalLink";
import { JsonView } from "../ui/JsonView";
import { Markdown } from "../ui/Markdown";
import { isPatch, Patch } from "../ui/Patch";
import { linkTo } from "../ui/readMarkdown";
import { Skeleton } from "../ui/Skeleton";
import { format } from "../words";
import { readCsv } from "./csv";
import { type Kind, kindOf } from "./kind";

/** What is in a deliverable, as far as it can be shown without running or loading anything. */
export function Preview({ item }: { item: Deliverable }) {
  const kind = kindOf(item);
  if (item.url) return <Elsewhere url={item.url} />;
  if (kind === "image") return <Picture item={item} />;
  if (kind === "none") return <NotShown item={item} />;
  return <TextPreview item={item} kind={kind} />;
}

function Elsewhere({ url }: { url: string }) {
  const link = linkTo(url);
  return (
    <div className="rounded-md border bg-sunken p-4">
      <p className="mb-1">It is kept outside of Assent. Look at the address before you open it:</p>
      {link ? (
        <ExternalLink href={link.href} host={link.host}>
          {url}
        </ExternalLink>
      ) : (
        <p className="[overflow-wrap:anywhere]">
          <code>{url}</code> <span className="text-muted">is no address that a browser should open.</span>
        </p>
      )}
    </div>
  );
}

function Picture({ item }: { item: Deliverable }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <NotShown item={item} />;
  return (
    <div className="flex justify-center rounded-md border bg-sunken p-4">
      <img
        src={previewUrl(item.id)}
        alt={item.description || item.name}
        onError={() => setBroken(true)}
        className="max-h-[60vh] max-w-full object-contain"
      />
    </div>
  );
}

function NotShown({ item }: { item: Deliverable }) {
  return (
    <div className="flex flex-col items-center rounded-md border bg-sunken px-4 py-10 text-center">
      <EyeOff aria-hidden className="mb-2 size-6 text-muted" />
      <p className="font-medium">It cannot be shown here</p>
      <p className="mb-3 text-muted">{item.mime_type || "What it is, is not known"}. Download it to look at it.</p>
      <Button asChild>
        <a href={contentUrl(item.id)} download>
          <Download aria-hidden />
          Download, {format.bytes(item.size)}
        </a>
      </Button>
    </div>
  );
}

const views: Partial<Record<Kind, string>> = { markdown: "Document", csv: "Table", json: "Indented", patch: "Changes" };

function TextPreview({ item, kind }: { item: Deliverable; kind: Kind }) {
  const { data, error, refetch } = usePreviewText(item.id, true);
  const [plain, setPlain] = useState(false);
  if (error && !data)
    return error instanceof Error && "status" in error && error.status === 415 ? (
      <NotShown item={item} />
    ) : (
      <ErrorNote
        error={error}
        action={
          <Button size="small" onClick={() => void refetch()}>
            Try again
          </Button>
        }
      />
    );
  if (!data) return <Skeleton className="h-64" />;
  const view = views[kind];
  // Plain text and JSON are copied from the block they stand in.
  const copies = !plain && (kind === "markdown" || kind === "csv") && data.text !== "";
  return (
    <div>
      <div className={cn("flex items-center gap-2", (view || copies) && "mb-2 min-h-8")}>
        {view && (
          <fieldset aria-label="Show as" className="flex overflow-hidden rounded-sm border">
            {[view, "As written"].map((label, i) => (
              <button
                key={label}
                type="button"
                aria-pressed={plain === (i === 1)}
                onClick={() => setPlain(i === 1)}
                className="h-7 px-2.5 text-small text-muted hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:text-accent-text pointer-coarse:h-11"
              >
                {label}
              </button>
            ))}
          </fieldset>
        )}
        <span className="flex-1" />
        {copies && <CopyButton text={data.text} label={data.cut ? "Copy what is shown" : "Copy all"} />}
      </div>
      {data.cut && (
        <p className="mb-2 rounded-sm bg-warn-bg px-3 py-2 text-warn-text">
          Only the first 256 KiB of {format.bytes(item.size)} are shown. Download it to see all.
        </p>
      )}
      <Text kind={plain ? "text" : kind} text={data.text} cut={data.cut} />
    </div>
  );
}

function Text({ kind, text, cut }: { kind: Kind; text: string; cut: boolean }) {
  if (text === "") return <p className="rounded-sm border bg-sunken p-4 text-muted">It is empty.</p>;
  if (kind === "markdown")
    return (
      <div className="rounded-md border bg-surface p-4 sm:p-6">
        <Markdown text={text} />
      </div>
    );
  if (kind === "csv") return <Csv text={text} cut={cut} />;
  if (kind === "patch" && isPatch(text)) return <Patch text={text} />;
  const value = kind === "json" && !cut ? rawOrNothing(text) : undefined;
  return value ? <JsonView value={value} /> : <CodeBlock text={text} />;
}

function rawOrNothing(text: string) {
  try {
    return raw(text);
  } catch {
    return undefined; // no JSON after all: as it is
  }
}

const rowsMax = 200;

function Csv({ text, cut }: { text: string; cut: boolean }) {
  const { rows, more } = readCsv(text, rowsMax + 1);
  const [head = [], ...body] = rows;
  const width = Math.max(...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) => i);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} role="group" aria-label="Table" className="max-h-[65vh] overflow-auto rounded-md border">
        <table className="min-w-full text-control">
          <thead className="sticky top-0 bg-sunken">
            <tr>
              {columns.map((i) => (
                <th key={i} scope="col" className="border-b px-3 py-1.5 text-left font-medium whitespace-nowrap">
                  {head[i] ?? ""}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {body.map((row, r) => (
              <tr key={r}>
                {columns.map((i) => (
                  <td
                    key={i}
                    dir="auto"
                    className={`max-w-96 min-w-16 px-3 py-1.5 align-top break-words whitespace-pre-wrap ${number(row[i]) ? "text-right" : ""}`}
                  >
                    {row[i] ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-1 text-small text-muted">
        {more || cut
          ? `The first ${format.plural(body.length, "row")}. Download it to see all.`
          : format.plural(body.length, "row")}
      </p>
    </>
  );
}

function number(text = ""): boolean {
  return /^-?[\d,. ]+%?$/.test(text) && /\d/.test(text);
}
