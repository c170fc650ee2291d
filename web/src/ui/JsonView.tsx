import { type ReactNode, useEffect, useMemo } from "react";
import { pretty, type Raw, type Tree, textOf, treeOf } from "../json";
import { AllLines } from "./AllLines";
import { CodeBlock } from "./CodeBlock";
import { marked } from "./Visible";

/** Colours are expensive in long texts, and so is drawing all of them at once. */
const colouredMax = 200_000;

interface Props {
  value: Raw | null | undefined;
  className?: string;
  /** Under decision: nothing is folded. */
  whole?: boolean;
  /** Called when all of it can be read. */
  onShown?: () => void;
}

/** A payload, indented and coloured; every number and string as written. Large ones without colours, row by row. */
export function JsonView({ value, onShown, ...props }: Props) {
  const text = textOf(value);
  return text.length > colouredMax ? (
    <AllLines text={text} label="The value as JSON" json onShown={onShown} />
  ) : (
    <Coloured text={text} onShown={onShown} {...props} />
  );
}

function Coloured({ text, className, whole, onShown }: Omit<Props, "value"> & { text: string }) {
  const shown = useMemo(() => read(text), [text]);
  useEffect(() => onShown?.(), [onShown]);
  return (
    <CodeBlock text={shown?.text ?? text} className={className} whole={whole}>
      {shown?.nodes}
    </CodeBlock>
  );
}

function read(text: string): { text: string; nodes: ReactNode } | undefined {
  try {
    const tree = treeOf(text);
    return { text: pretty(tree), nodes: <Nodes tree={tree} indent="" /> };
  } catch {
    return undefined; // too deep or not JSON: shown as is
  }
}

function Nodes({ tree, indent }: { tree: Tree; indent: string }): ReactNode {
  const inner = `${indent}  `;
  switch (tree.kind) {
    case "string":
      // Isolated direction: right-to-left letters leave quotes, commas and neighbours in place.
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
