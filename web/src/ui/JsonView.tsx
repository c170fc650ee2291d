import { type ReactNode, useMemo } from "react";
import { pretty, type Raw, type Tree, textOf, treeOf } from "../json";
import { CodeBlock } from "./CodeBlock";
import { marked } from "./Visible";

/** Colours cost much in very long texts. */
const colouredMax = 200_000;

/** A payload, indented and coloured; every number and string as it was written. */
export function JsonView({ value, className }: { value: Raw | null | undefined; className?: string }) {
  const text = textOf(value);
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
    return { text: pretty(tree), nodes: text.length > colouredMax ? undefined : <Nodes tree={tree} indent="" /> };
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
