import { Fragment, type ReactNode } from "react";
import { count } from "../words/format";
import { codeOf, type Stretch, stretches, unseenName } from "../words/unseen";

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Foreign text within a line: invisible characters are marked and have no effect, and right-to-left letters leave the
 * text around them alone.
 */
export function Visible({ text }: { text: string }): ReactNode {
  const parts = stretches(text);
  if (parts.every((part) => part.kind === "text") && !rightToLeft.test(text)) return text;
  return <bdi>{parts.map(draw)}</bdi>;
}

/** The same for a text in its own element with dir. */
export function marked(text: string): ReactNode {
  const parts = stretches(text);
  return parts.every((part) => part.kind === "text") ? text : parts.map(draw);
}

export const markLook =
  "mx-px inline-block rounded-[3px] border border-current bg-warn-bg px-0.5 font-mono text-[10px] leading-[14px] font-normal tracking-normal whitespace-nowrap text-warn-text";

const singly = 4; // up to this many in a row get a mark each
const named = 30; // and up to this many are named

function draw({ kind, text }: Stretch, key: number): ReactNode {
  if (kind === "text") return <Fragment key={key}>{text}</Fragment>;
  const chars = [...text];
  if (chars.length > singly) return <Mark key={key} chars={chars} />;
  return (
    <Fragment key={key}>
      {chars.map((char, i) => (
        <Mark key={i} chars={[char]} />
      ))}
    </Fragment>
  );
}

function Mark({ chars }: { chars: string[] }) {
  const [first = ""] = chars;
  const more = chars.length - 1;
  const names = chars.slice(0, named).map(unseenName).join(", ");
  const words = `Cannot be seen: ${names}${chars.length > named ? " …" : ""}`;
  return (
    <span role="img" aria-label={words} title={words} dir="ltr" data-unseen className={markLook}>
      {codeOf(first)}
      {more > 0 && ` and ${count(more)} more`}
    </span>
  );
}
