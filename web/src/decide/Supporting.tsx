import { useMemo } from "react";
import { type Tree, treeOf } from "../json";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { marked, Visible } from "../ui/Visible";
import { format } from "../words";
import { blobOf } from "./blob";
import { Opens } from "./Opens";
import { isPlanChange, PlanChange } from "./PlanChange";
import { isPoint, Point } from "./Point";
import type { Desk } from "./useDesk";
import { Values } from "./Values";

/** Supporting data that the gate shows. */
export function Supporting({ desk }: { desk: Desk }) {
  const { show } = desk.whole;
  const blob = blobOf(show);
  const tree = useMemo(() => (blob ? undefined : readable(treeOf(show))), [show, blob]);
  if (!blob && (!tree || isEmpty(tree))) return null;
  if (desk.approval.action.type === "replan" && isPlanChange(show)) return <PlanChange show={show} />;
  if (desk.approval.action.type === "layer" && isPoint(show)) return <Point show={show} editing={desk.editing} />;
  return (
    <Card title="Supporting data">
      {tree && <Values tree={small(tree)} />}
      {tree && (
        <div className="mt-2 space-y-1.5 empty:hidden">
          <Folded tree={tree} />
        </div>
      )}
      {blob && (
        <>
          <pre className="rounded-sm bg-sunken p-3 break-words whitespace-pre-wrap">{marked(blob.preview)} …</pre>
          <Button className="mt-2" loading={desk.whole.loading} onClick={desk.whole.load}>
            Show all {format.bytes(blob.size)}
          </Button>
        </>
      )}
    </Card>
  );
}

function isEmpty(tree: Tree): boolean {
  if (tree.kind === "object") return tree.members.length === 0;
  return tree.kind === "literal" && tree.text === "null";
}

/** "input.reason" is shown as "reason". */
function readable(tree: Tree): Tree {
  if (tree.kind !== "object") return tree;
  return { kind: "object", members: tree.members.map((m) => ({ ...m, key: m.key.replace(/^(input|context)\./, "") })) };
}

const entriesShown = 3;

/** Long lists and whole documents are folded, to keep the rest of the page in reach. */
function isLarge(tree: Tree): boolean {
  if (tree.kind === "array") return tree.items.length > entriesShown && tree.items.some((i) => i.kind === "object");
  return tree.kind === "object" && tree.members.length > 8;
}

function small(tree: Tree): Tree {
  return tree.kind === "object" ? { kind: "object", members: tree.members.filter((m) => !isLarge(m.value)) } : tree;
}

function Folded({ tree }: { tree: Tree }) {
  if (tree.kind !== "object") return null;
  return tree.members
    .filter((m) => isLarge(m.value))
    .map((m, i) => (
      <Opens
        key={`${m.key} ${i}`}
        head={
          <>
            <span className="font-medium">
              <Visible text={format.title(m.key)} />
            </span>
            <span className="text-muted">
              {m.value.kind === "array" ? format.plural(m.value.items.length, "entry", "entries") : ""}
            </span>
          </>
        }
      >
        <Values tree={m.value} />
      </Opens>
    ));
}
