import { Fragment, type ReactNode, useMemo } from "react";
import { ExternalLink } from "./ExternalLink";
import { type Block, type Inline, readMarkdown } from "./readMarkdown";
import { marked } from "./Visible";

/** Markdown, rendered by us: it can never become HTML, and nothing is loaded from elsewhere. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return <div className="space-y-3 leading-6 break-words">{blocks.map(block)}</div>;
}

// Two levels lower than written: the page has its own title and headings.
const headings = ["text-heading", "text-lead", "text-body", "text-body", "text-control", "text-control"];

function block(b: Block, key: number): ReactNode {
  switch (b.kind) {
    case "heading": {
      const Tag = `h${Math.min(6, b.level + 2)}` as "h3";
      return (
        <Tag key={key} dir="auto" className={`${headings[b.level - 1]} pt-1 font-semibold tracking-tight`}>
          {inlines(b.children)}
        </Tag>
      );
    }
    case "paragraph":
      return (
        <p key={key} dir="auto" className="whitespace-pre-line">
          {inlines(b.children)}
        </p>
      );
    case "code":
      return (
        <pre
          key={key}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
          tabIndex={0}
          className="overflow-x-auto rounded-sm border bg-sunken p-3 text-small leading-[18px]"
        >
          {marked(b.text)}
        </pre>
      );
    case "quote":
      return (
        <blockquote key={key} className="space-y-2 border-l-2 border-border-strong pl-3 text-muted">
          {b.children.map(block)}
        </blockquote>
      );
    case "list": {
      const items = b.items.map((item, i) => (
        <li key={i} dir="auto" className="space-y-1 pl-1">
          {item.map(block)}
        </li>
      ));
      return b.ordered ? (
        <ol key={key} start={b.start} className="list-decimal space-y-1 pl-6">
          {items}
        </ol>
      ) : (
        <ul key={key} className="list-disc space-y-1 pl-6">
          {items}
        </ul>
      );
    }
    case "table":
      return <Table key={key} table={b} />;
    case "rule":
      return <hr key={key} className="border-border-strong" />;
  }
}

const sides = { left: "text-left", right: "text-right", center: "text-center" };

function Table({ table }: { table: Extract<Block, { kind: "table" }> }) {
  const side = (i: number) => sides[table.align[i] ?? "left"];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <div tabIndex={0} role="group" aria-label="Table" className="overflow-x-auto rounded-sm border">
      <table className="w-full text-control">
        <thead className="bg-sunken">
          <tr>
            {table.head.map((cell, i) => (
              <th key={i} scope="col" className={`px-3 py-1.5 font-medium ${side(i)}`}>
                {inlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {table.rows.map((row, r) => (
            <tr key={r}>
              {row.map((cell, i) => (
                <td key={i} dir="auto" className={`px-3 py-1.5 ${side(i)}`}>
                  {inlines(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(list: Inline[]): ReactNode {
  return list.map((inline, i) => <Fragment key={i}>{one(inline)}</Fragment>);
}

function one(inline: Inline): ReactNode {
  switch (inline.kind) {
    case "text":
      return marked(inline.text);
    case "code":
      return <code className="rounded-[4px] bg-sunken px-1 py-0.5 text-[0.9em]">{marked(inline.text)}</code>;
    case "strong":
      return <strong className="font-semibold">{inlines(inline.children)}</strong>;
    case "em":
      return <em>{inlines(inline.children)}</em>;
    case "del":
      return <del>{inlines(inline.children)}</del>;
    case "link":
      return (
        <ExternalLink href={inline.href} host={inline.host}>
          {inlines(inline.children)}
        </ExternalLink>
      );
  }
}
