import { useMemo } from "react";
import { type Raw, type Tree, treeOf } from "../json";
import { blobOf } from "./blob";
import { type Evidence, evidenceFor, type Known, knownIn } from "./evidence";
import { type KeyFact, keyFacts } from "./keyFacts";
import { readSoFar } from "./readSoFar";
import type { Desk } from "./useDesk";

export interface Grounds {
  /** What the decision is about, in a line. */
  facts: KeyFact[];
  /** What bears on each field of the proposal. */
  evidence: Map<string, Evidence[]>;
}

const tooLong = 64_000; // nothing of that size is said in a line

/** What a decision rests on, read from the proposal, what the workflow shows, and what earlier steps gave. */
export function useGrounds({ approval, proposed, blob, whole: { show }, schema, submits }: Desk): Grounds {
  const { title, so_far } = approval;
  // The input of a step is made of earlier results: that it is the same as those proves nothing.
  const independent = approval.action.type === "result";
  return useMemo(() => {
    const shown = membersOf(show);
    const fields = blob ? [] : membersOf(proposed);
    const known = [...knownIn({ kind: "object", members: shown }, true), ...(independent ? earlier(so_far) : [])];
    const evidence = evidenceFor(fields, known);
    const options = { title, evidence, known, schema: submits ? {} : schema };
    const facts = keyFacts(fields, options);
    // "claim": {…} is about what is in it.
    const inside = facts.some((f) => f.kind !== "history") ? [] : fields.flatMap(({ value }) => insideOf(value));
    // A question proposes nothing; it is about what the workflow shows with it.
    if (fields.length === 0) return { evidence, facts: keyFacts(shown.map(unprefixed), options) };
    return { evidence, facts: inside.length > 0 ? keyFacts(inside, { ...options, evidence: new Map() }) : facts };
  }, [proposed, blob, show, so_far, independent, title, schema, submits]);
}

function membersOf(value: Raw | null): Extract<Tree, { kind: "object" }>["members"] {
  if (!value || value.$json.length > tooLong || blobOf(value)) return [];
  const tree = treeOf(value);
  return tree.kind === "object" ? tree.members : [];
}

function insideOf(tree: Tree): Extract<Tree, { kind: "object" }>["members"] {
  return tree.kind === "object" ? tree.members : [];
}

const unprefixed = <T extends { key: string }>(member: T): T => ({
  ...member,
  key: member.key.replace(/^(input|context)\./, ""),
});

function earlier(soFar: string): Known[] {
  const lines = readSoFar(soFar)?.lines ?? [];
  return lines.flatMap(({ name, tree }) => (tree ? knownIn(tree, false, name) : []));
}
