import { useMemo } from "react";
import { plain, type Raw, type Tree, textOf, treeOf } from "../json";
import { blobOf } from "./blob";
import { type Evidence, evidenceFor, type Known, knownIn } from "./evidence";
import { type KeyFact, keyFacts } from "./keyFacts";
import { readSoFar } from "./readSoFar";
import { subjectBeside } from "./subject";
import type { Desk } from "./useDesk";

export interface Grounds {
  /** What it is about, if the proposal does not say so itself. */
  subject: string;
  /** The decision in one line. */
  facts: KeyFact[];
  /** Evidence for each field of the proposal. */
  evidence: Map<string, Evidence[]>;
}

const tooLong = 64_000; // values of this size never fit in a line

/** The basis of a decision, read from the proposal, the supporting data and the results of earlier steps. */
export function useGrounds({ approval, proposed, blob, whole: { show }, schema, submits }: Desk): Grounds {
  const { title, subject, so_far } = approval;
  // The input of a step is built from earlier results, so agreeing with them proves nothing.
  const independent = approval.action.type === "result";
  const about = useMemo(
    () => subjectBeside(subject, textOf(proposed).length < tooLong ? plain(proposed) : null),
    [subject, proposed],
  );
  const grounds = useMemo(() => {
    const shown = membersOf(show);
    const fields = blob ? [] : membersOf(proposed);
    const known = [...knownIn({ kind: "object", members: shown }, true), ...(independent ? earlier(so_far) : [])];
    const evidence = evidenceFor(fields, known);
    const options = { title, evidence, known, schema: submits ? {} : schema };
    const facts = keyFacts(fields, options);
    // "claim": {…} is about its members.
    const inside = facts.some((f) => f.kind !== "history") ? [] : fields.flatMap(({ value }) => insideOf(value));
    // A question proposes nothing; it is about its supporting data.
    if (fields.length === 0) return { evidence, facts: keyFacts(shown.map(unprefixed), options) };
    return { evidence, facts: inside.length > 0 ? keyFacts(inside, { ...options, evidence: new Map() }) : facts };
  }, [proposed, blob, show, so_far, independent, title, schema, submits]);
  return { ...grounds, subject: about };
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
