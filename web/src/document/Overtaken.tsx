import { useMemo } from "react";
import { diffOf } from "../decide/diff";
import { treeOf } from "../json";
import { Button, Diff, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { author } from "../words/author";
import { type Kind, wordsOf } from "../words/fields";
import { mergeTexts } from "../yaml/merge";
import type { InForce } from "./useDraft";

interface Versions {
  kind: Kind;
  base: InForce;
  theirs: InForce;
  text: string;
}

/** What someone else changed during the work. */
export function Overtaken({ what, kind, base, theirs, text }: Versions & { what: string }) {
  const changes = useMemo(
    () => diffOf(treeOf(base.definition), treeOf(theirs.definition)),
    [base.definition, theirs.definition],
  );
  const { clashes } = useMemo(
    () => mergeTexts(base.yaml, text, theirs.yaml, kind),
    [base.yaml, text, theirs.yaml, kind],
  );
  return (
    <section role="alert" aria-label={`The ${what} has changed`}>
      <p className="mb-3">
        <Visible text={author(theirs.by)} /> saved version {theirs.version} <Time at={theirs.at} />, while you were
        editing. Nothing of yours was saved. These are their changes:
      </p>
      {changes.length > 0 ? (
        <Diff changes={changes} words={wordsOf(kind)} />
      ) : (
        <p className="text-muted">Only comments, the order of fields or a hidden secret changed.</p>
      )}
      {clashes.length > 0 && (
        <p className="mt-3 rounded-md bg-warn-bg px-3 py-2 break-words text-warn-text">
          You both changed <Visible text={clashes.map(({ where }) => where).join("; ")} />. If you add yours to theirs,
          yours is used there.
        </p>
      )}
      <p className="mt-3 text-small text-muted">Whatever you choose, you see the result before you save it.</p>
    </section>
  );
}

/** What to do with one's own changes. */
export function OvertakenActions({
  kind,
  base,
  theirs,
  text,
  onChoose,
}: Versions & { onChoose: (text: string) => void }) {
  return (
    <>
      <Button onClick={() => onChoose(theirs.yaml)}>Discard mine</Button>
      <Button look="danger-outlined" onClick={() => onChoose(text)}>
        Replace theirs with mine
      </Button>
      <Button look="filled" onClick={() => onChoose(mergeTexts(base.yaml, text, theirs.yaml, kind).text)}>
        Add mine to theirs
      </Button>
    </>
  );
}
