import { useMemo } from "react";
import { type Tree, treeOf } from "../json";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { marked } from "../ui/Visible";
import { format } from "../words";
import { blobOf } from "./blob";
import type { Desk } from "./useDesk";
import { Values } from "./Values";

/** What the gate shows to help with the decision. */
export function Supporting({ desk }: { desk: Desk }) {
  const { show } = desk.whole;
  const blob = blobOf(show);
  const tree = useMemo(() => (blob ? undefined : readable(treeOf(show))), [show, blob]);
  if (!blob && (!tree || isEmpty(tree))) return null;
  return (
    <Card title="To compare with">
      {tree && <Values tree={tree} />}
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

/** "input.reason" is read as "reason". */
function readable(tree: Tree): Tree {
  if (tree.kind !== "object") return tree;
  return { kind: "object", members: tree.members.map((m) => ({ ...m, key: m.key.replace(/^(input|context)\./, "") })) };
}
