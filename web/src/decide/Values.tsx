import { createContext, type ReactNode, useContext, useState } from "react";
import { compact, same, type Tree } from "../json";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { marked, Visible } from "../ui/Visible";
import { format } from "../words";
import { spelled } from "../words/unseen";
import { Beside } from "./Beside";
import type { Evidence } from "./evidence";
import { LongText } from "./LongText";
import { labelOf, memberSchema, resolve, type Schema } from "./schema";
import { TextValue } from "./TextValue";
import { dateText } from "./typed";

const itemsShown = 20;

interface Props {
  tree: Tree;
  schema?: Schema;
  /** The original value; differences from it are marked. */
  before?: Tree;
  /** Evidence for the members, by key. */
  evidence?: Map<string, Evidence[]>;
  /** Under decision: nothing is folded. */
  whole?: boolean;
}

const Whole = createContext(false);

/** A value as people read it: names and values, each in full, numbers as written. */
export function Values({ tree, schema = {}, before, evidence, whole = false }: Props) {
  return (
    <Whole value={whole}>
      <Value tree={tree} schema={resolve(schema, schema)} root={schema} before={before} evidence={evidence} top />
    </Whole>
  );
}

interface Part {
  tree: Tree;
  schema: Schema;
  root: Schema;
  before?: Tree;
  evidence?: Map<string, Evidence[]>;
  top?: boolean;
}

function Value({ tree, schema, root, before, evidence, top }: Part): ReactNode {
  switch (tree.kind) {
    case "string":
      return tree.value === "" ? <Nothing>empty</Nothing> : <Text text={tree.value} />;
    case "number":
      return <span className="tabular-nums">{tree.text}</span>;
    case "literal":
      if (tree.text === "null") return <Nothing>nothing</Nothing>;
      return tree.text === "true" ? "Yes" : "No";
    case "array":
      return <List tree={tree} schema={schema} root={root} before={before} />;
    case "object":
      return <Members tree={tree} schema={schema} root={root} before={before} evidence={evidence} top={top} />;
  }
}

function Text({ text }: { text: string }) {
  const whole = useContext(Whole);
  const time = timestamp.test(text) ? dateText(text) : undefined;
  return (
    <>
      {whole ? <TextValue text={text} /> : <LongText text={text} />}
      {time && <span className="block text-small text-muted">{time}</span>}
    </>
  );
}

/** A moment, written for machines: it is shown as received, and as people write it. */
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[\d:.]*(Z|[+-]\d{2}:\d{2})$/;

function Nothing({ children }: { children: ReactNode }) {
  return <span className="text-muted italic">{children}</span>;
}

/** In schema order, then in their own order. */
function ordered(tree: Extract<Tree, { kind: "object" }>, schema: Schema) {
  const order = Object.keys(schema.properties ?? {});
  const rank = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  return [...tree.members].sort((a, b) => rank(a.key) - rank(b.key));
}

function Members({ tree, schema, root, before, evidence, top }: Part & { tree: Extract<Tree, { kind: "object" }> }) {
  if (tree.members.length === 0) return <Nothing>nothing</Nothing>;
  const old = before?.kind === "object" ? before.members : undefined;
  const gone = old?.filter((m) => !tree.members.some((now) => now.key === m.key)) ?? [];
  return (
    <dl className={cn("min-w-0", top ? "divide-y" : "space-y-2 border-l pl-3")}>
      {ordered(tree, schema).map((m, i) => {
        const own = memberSchema(schema, m.key, root);
        const was = old?.findLast((o) => o.key === m.key)?.value;
        return (
          <Row
            key={`${m.key} ${i}`}
            name={m.key}
            schema={own}
            top={top}
            was={was}
            now={m.value}
            compared={old !== undefined}
          >
            <Value tree={m.value} schema={own} root={root} before={was} />
            <Beside field={m.key} evidence={evidence?.get(m.key)} />
          </Row>
        );
      })}
      {gone.map((m) => (
        <Row
          key={`gone ${m.key}`}
          name={m.key}
          schema={memberSchema(schema, m.key, root)}
          top={top}
          was={m.value}
          compared
        >
          <Nothing>taken out</Nothing>
        </Row>
      ))}
    </dl>
  );
}

interface RowProps {
  name: string;
  schema: Schema;
  top?: boolean;
  was?: Tree;
  now?: Tree;
  compared: boolean;
  children: ReactNode;
}

function Row({ name, schema, top, was, now, compared, children }: RowProps) {
  const changed = compared && (!was || !now || !same(was, now));
  // A changed object or list marks its own parts.
  const deep =
    was !== undefined && now !== undefined && was.kind === now.kind && (now.kind === "object" || now.kind === "array");
  return (
    <div
      className={cn(
        "min-w-0",
        top && "gap-x-4 py-2.5 first:pt-0 last:pb-0 @md:grid @md:grid-cols-[minmax(96px,28%)_1fr]",
      )}
    >
      <dt className={cn("text-small text-muted", top && "pt-0.5")} title={spelled(schema.description ?? name)}>
        <Visible text={labelOf(name, schema)} />
        {changed && !deep && (
          <Badge tone="accent" className="ml-1.5">
            {was ? (now ? "changed" : "removed") : "added"}
          </Badge>
        )}
      </dt>
      <dd className="min-w-0">
        {children}
        {changed && !deep && was && (
          <div className="mt-1 text-small text-muted">
            <span className="mr-1">before:</span>
            <del dir="auto" className="break-words whitespace-pre-wrap">
              {marked(was.kind === "string" ? was.value : compact(was))}
            </del>
          </div>
        )}
      </dd>
    </div>
  );
}

function List({ tree, schema, root, before }: Part & { tree: Extract<Tree, { kind: "array" }> }) {
  const whole = useContext(Whole);
  const [all, setAll] = useState(whole);
  if (tree.items.length === 0) return <Nothing>an empty list</Nothing>;
  const item = resolve(schema.items, root);
  const shown = all ? tree.items : tree.items.slice(0, itemsShown);
  const old = before?.kind === "array" ? before.items : undefined;
  const columns = before ? undefined : columnsOf(tree.items);
  const scalars = tree.items.every((i) => i.kind !== "object" && i.kind !== "array");
  return (
    <div className="min-w-0">
      {columns ? (
        <Table rows={shown} columns={columns} schema={item} root={root} />
      ) : (
        <ol className={cn("min-w-0", scalars ? "list-disc pl-4 marker:text-muted" : "space-y-2")}>
          {shown.map((one, i) => (
            <li key={i} className={cn("min-w-0", !scalars && "rounded-sm border bg-sunken p-2.5")}>
              {!scalars && (
                <div className="mb-1 text-meta text-muted">
                  {i + 1} of {format.count(tree.items.length)}
                </div>
              )}
              <Value tree={one} schema={item} root={root} before={old?.[i]} />
            </li>
          ))}
        </ol>
      )}
      {tree.items.length > itemsShown && !whole && (
        <Button look="ghost" size="small" className="-ml-2 mt-1 text-accent-text" onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all ${format.count(tree.items.length)} entries`}
        </Button>
      )}
    </div>
  );
}

const columnsMax = 4;
const cellMax = 60;

/** The columns of a list with small, similar entries: such a list is shown as a table. */
function columnsOf(items: Tree[]): string[] | undefined {
  const [first] = items;
  if (items.length < 2 || first?.kind !== "object" || first.members.length > columnsMax) return undefined;
  const keys = first.members.map((m) => m.key);
  const alike = items.every(
    (item) =>
      item.kind === "object" &&
      item.members.length === keys.length &&
      item.members.every((m, i) => m.key === keys[i] && isSmall(m.value)),
  );
  return alike && keys.length > 1 && new Set(keys).size === keys.length ? keys : undefined;
}

function isSmall(tree: Tree): boolean {
  return (
    tree.kind !== "object" && tree.kind !== "array" && compact(tree).length <= cellMax && !compact(tree).includes("\\n")
  );
}

function Table(props: { rows: Tree[]; columns: string[]; schema: Schema; root: Schema }) {
  const { rows, columns, schema, root } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <div tabIndex={0} role="group" aria-label="Table" className="overflow-x-auto rounded-sm border">
      <table className="w-full text-control">
        <thead className="bg-sunken">
          <tr>
            {columns.map((key) => (
              <th key={key} scope="col" className="px-3 py-1.5 text-left text-small font-medium text-muted">
                <Visible text={labelOf(key, memberSchema(schema, key, root))} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row, r) => (
            <tr key={r}>
              {row.kind === "object" &&
                row.members.map((m) => (
                  <td key={m.key} className="px-3 py-1.5 align-top">
                    <Value tree={m.value} schema={memberSchema(schema, m.key, root)} root={root} />
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
