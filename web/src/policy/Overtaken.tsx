import { useMemo } from "react";
import type { Policy } from "../api";
import { Button, Dialog, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { author } from "../words/author";
import { compare } from "./changes";
import { combine } from "./combine";
import { read } from "./model";
import { RuleChanges } from "./RuleChanges";
import type { Work } from "./useWork";

/** Another version took effect during the work: what it changed, and what to do with one's own changes. */
export function Overtaken({ policy, work, onClose }: { policy: Policy; work: Work; onClose: () => void }) {
  const theirs = useMemo(() => compare(read(work.base), read(policy.yaml)), [work.base, policy.yaml]);
  const both = useMemo(() => combine(work.base, work.text, policy.yaml), [work.base, work.text, policy.yaml]);
  const settle = (text: string) => {
    work.rebase(text);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="The policy has changed"
      description="Nothing of yours was published, and nothing of theirs was replaced."
      className="sm:w-[min(640px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={() => settle(policy.yaml)}>Discard mine</Button>
          <Button look="danger" onClick={() => settle(work.text)}>
            Replace theirs with mine
          </Button>
          {both && (
            <Button look="filled" onClick={() => settle(both.text)}>
              Add mine to theirs
            </Button>
          )}
        </>
      }
    >
      <p className="mb-3">
        <Visible text={author(policy.by)} /> published version {policy.version} <Time at={policy.at} />. These are the
        changes since you began:
      </p>
      <RuleChanges changes={theirs} />
      {both && both.clashes.length > 0 && (
        <p className="mt-3 rounded-md bg-warn-bg px-3 py-2 break-words text-warn-text">
          You both changed <Visible text={both.clashes.join(", ")} />. If you add yours to theirs, yours is used there.
        </p>
      )}
      <p className="mt-3 text-small text-muted">
        You see the result before it is published, and you can undo this step.
      </p>
    </Dialog>
  );
}
