import { Download, EyeOff } from "lucide-react";
import { useEffect, useState } from "react";
import { contentUrl, previewUrl, usePreviewText } from "../api/deliverables";
import type { Deliverable } from "../api/types";
import { raw } from "../json";
import { cn } from "../lib/cn";
import { AllLines } from "../ui/AllLines";
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

interface Props {
  item: Deliverable;
  /**
   * Set while it is under decision: all of it is loaded and drawn. Called once it is, or once a file that cannot be
   * drawn was downloaded.
   */
  onShown?: () => void;
}

/** The contents of a deliverable, as far as they can be shown without running or loading anything. */
export function Preview({ item, onShown }: Props) {
  const kind = kindOf(item);
  if (item.url) return <Elsewhere url={item.url} onShown={onShown} />;
  if (kind === "image") return <Picture item={item} onShown={onShown} />;
  if (kind === "none") return <NotShown item={item} onShown={onShown} />;
  return <TextPreview item={item} kind={kind} onShown={onShown} />;
}

/** Reports that the content drawn with it is complete. */
function useShown(onShown: (() => void) | undefined) {
  useEffect(() => onShown?.(), [onShown]);
}

function Elsewhere({ url, onShown }: { url: string; onShown?: () => void }) {
  useShown(onShown);
  const link = linkTo(url);
  return (
    <div className="rounded-md border bg-sunken p-4">
      <p className="mb-1">Stored outside Assent. Check the address before you open it:</p>
      {link ? (
        <ExternalLink href={link.href} host={link.host}>
          {url}
        </ExternalLink>
      ) : (
        <p className="[overflow-wrap:anywhere]">
          <code>{url}</code> <span className="text-muted">is not an address that a browser should open.</span>
        </p>
      )}
    </div>
  );
}

function Picture({ item, onShown }: Props) {
  const [broken, setBroken] = useState(false);
  if (broken) return <NotShown item={item} onShown={onShown} />;
  return (
    <div className="flex justify-center rounded-md border bg-sunken p-4">
      <img
        src={previewUrl(item.id)}
        alt={item.description || item.name}
        onLoad={onShown}
        onError={() => setBroken(true)}
        className="max-h-[60vh] max-w-full object-contain"
      />
    </div>
  );
}

function NotShown({ item, onShown }: Props) {
  return (
    <div className="flex flex-col items-center rounded-md border bg-sunken px-4 py-10 text-center">
      <EyeOff aria-hidden className="mb-2 size-6 text-muted" />
      <p className="font-medium">No preview</p>
      <p className="mb-3 text-muted">{item.mime_type || "Unknown type"}. Download it to look at it.</p>
      <DownloadButton item={item} onShown={onShown} />
    </div>
  );
}

function DownloadButton({ item, onShown }: Props) {
  return (
    <Button asChild>
      <a href={contentUrl(item.id)} download onClick={onShown}>
        <Download aria-hidden />
        Download, {format.bytes(item.size)}
      </a>
    </Button>
  );
}

const views: Partial<Record<Kind, string>> = { markdown: "Document", csv: "Table", json: "Indented", patch: "Changes" };

function TextPreview({ item, kind, onShown }: Props & { kind: Kind }) {
  const whole = onShown !== undefined;
  const { data, error, refetch } = usePreviewText(item.id, true, whole);
  const [plain, setPlain] = useState(false);
  if (error && !data)
    return error instanceof Error && "status" in error && error.status === 415 ? (
      <NotShown item={item} onShown={onShown} />
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
  // Plain text and JSON have a copy button in their own block.
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
        <div className="mb-2 flex flex-wrap items-center gap-2 rounded-sm bg-warn-bg px-3 py-2 text-warn-text">
          <p className="min-w-40 flex-1">
            Only the first {whole ? "16 MiB" : "256 KiB"} of {format.bytes(item.size)} are shown. Download it to see the
            rest.
          </p>
          {whole && <DownloadButton item={item} onShown={onShown} />}
        </div>
      )}
      {whole ? (
        <WholeText kind={plain ? "text" : kind} text={data.text} cut={data.cut} onShown={data.cut ? unseen : onShown} />
      ) : (
        <Text kind={plain ? "text" : kind} text={data.text} cut={data.cut} />
      )}
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

const unseen = () => {};

/** As much as a browser draws at once without freezing; longer texts are drawn row by row. */
const signsMax = 200_000;
const linesMax = 2000;

/** A text under decision: nothing is folded or omitted. */
function WholeText({ kind, text, cut, onShown }: { kind: Kind; text: string; cut: boolean; onShown: () => void }) {
  const short = text.length <= signsMax;
  if (kind === "json" && !cut) {
    const value = short ? rawOrNothing(text) : { $json: text };
    if (value) return <JsonView value={value} whole onShown={onShown} />;
  }
  const drawn =
    kind === "markdown" || (kind === "csv" && !readCsv(text, rowsMax + 1).more) || (kind === "patch" && isPatch(text));
  if (short && drawn) return <Drawn kind={kind} text={text} onShown={onShown} />;
  if (short && text.split("\n", linesMax + 1).length <= linesMax)
    return <Drawn kind="text" text={text} onShown={onShown} />;
  return <AllLines text={text} label="The text" onShown={onShown} />;
}

function Drawn({ kind, text, onShown }: { kind: Kind; text: string; onShown: () => void }) {
  useShown(onShown);
  return kind === "text" && text !== "" ? (
    <CodeBlock text={text} whole />
  ) : (
    <Text kind={kind} text={text} cut={false} />
  );
}

function rawOrNothing(text: string) {
  try {
    return raw(text);
  } catch {
    return undefined; // not JSON after all: show as is
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard */}
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
