import { type ReactNode, useEffect, useMemo, useState } from "react";
import { pretty, type Raw, type Tree, textOf, treeOf } from "../json";
import { indented } from "../json/indent";
import { AllLines } from "./AllLines";
import { CodeBlock } from "./CodeBlock";
import { Skeleton } from "./Skeleton";
import { marked } from "./Visible";

/** Colours cost much in long texts, and so does drawing all of them at once. */
const colouredMax = 200_000;

/** A payload, indented and coloured; every number and string as it was written. Large ones without colours, row by row. */
export function JsonView({ value, className }: { value: Raw | null | undefined; className?: string }) {
  const text = textOf(value);
  return text.length > colouredMax ? <Large text={text} /> : <Coloured text={text} className={className} />;
}

function Large({ text }: { text: string }) {
  const [lines, setLines] = useState<string>();
  useEffect(() => {
    const given = new AbortController();
    void indented(text, given.signal).then(setLines);
    return () => given.abort();
  }, [text]);
  return lines === undefined ? <Skeleton className="h-120" /> : <AllLines text={lines} label="The value as JSON" />;
}

function Coloured({ text, className }: { text: string; className?: string }) {
  const shown = useMemo(() => read(text), [text]);
  return (
    <CodeBlock text={shown?.text ?? text} className={className}>
      {shown?.nodes}
    </CodeBlock>
  );
}

function read(text: string): { text: string; nodes: ReactNode } | undefined {
  try {
    const tree = treeOf(text);
    return { text: pretty(tree), nodes: <Nodes tree={tree} indent="" /> };
  } catch {
    return undefined; // too deep or no JSON: shown as it is
  }
}

function Nodes({ tree, indent }: { tree: Tree; indent: string }): ReactNode {
  const inner = `${indent}  `;
  switch (tree.kind) {
    case "string":
      // A direction of its own: letters that run the other way leave quotes, commas and neighbours where they are.
      return (
        <span dir="ltr" className="text-ok-text">
          {marked(tree.text)}
        </span>
      );
    case "number":
      return <span className="text-info-text">{tree.text}</span>;
    case "literal":
      return <span className="text-accent-text">{tree.text}</span>;
    case "array":
      if (tree.items.length === 0) return "[]";
      return (
        <>
          {"[\n"}
          {tree.items.map((item, i) => (
            <span key={i}>
              {inner}
              <Nodes tree={item} indent={inner} />
              {i < tree.items.length - 1 ? ",\n" : "\n"}
            </span>
          ))}
          {`${indent}]`}
        </>
      );
    case "object":
      if (tree.members.length === 0) return "{}";
      return (
        <>
          {"{\n"}
          {tree.members.map((member, i) => (
            <span key={i}>
              {inner}
              <span dir="ltr" className="text-muted">
                {marked(member.keyText)}
              </span>
              {": "}
              <Nodes tree={member.value} indent={inner} />
              {i < tree.members.length - 1 ? ",\n" : "\n"}
            </span>
          ))}
          {`${indent}}`}
        </>
      );
  }
}
