import { Visible } from "../ui/Visible";
import { lookUp, type Scope } from "./model/source";

const shownMax = 80;

/** A value in a line, for a sample. */
export function brief(value: unknown, max = shownMax): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** What a source gives with the sample data, as it is typed. */
export function Result({ source, scope }: { source: unknown; scope: Scope }) {
  const found = lookUp(source, scope);
  if (found.kind === "unknown") return null;
  return (
    <p className="mt-1 text-meta break-words text-muted" aria-live="polite">
      {found.kind === "value" && (
        <>
          With the sample:{" "}
          <code className="text-ok-text">
            <Visible text={brief(found.value)} />
          </code>
        </>
      )}
      {found.kind === "missing" && (
        <span className="text-warn-text">
          With the sample, <code>{found.at}</code> does not exist: the field would be left out.
        </span>
      )}
      {found.kind === "wrong" && <span className="text-bad-text">{found.message}</span>}
    </p>
  );
}
