import { EyeOff, PencilLine, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import type { Approval } from "../api/types";
import type { Raw } from "../json";
import { aside } from "../json/aside";
import { Button } from "../ui/Button";
import { Visible } from "../ui/Visible";
import { ChangeList } from "./ChangeList";
import { unseenIn } from "./unseenIn";
import type { Desk } from "./useDesk";

/** Changes while the user was looking: a changed proposal, a draft that no longer matches it. Nothing is lost. */
export function Notices({ desk }: { desk: Desk }) {
  const { moved, stale, schema, approval } = desk;
  if (!desk.pending) return <Unsent desk={desk} />;
  if (moved) {
    return (
      <Notice icon={<TriangleAlert />} title={`${lastEditor(approval)} changed what is proposed`}>
        <p className="mb-2">Below is the new version. What changed:</p>
        <div className="rounded-sm bg-surface text-text">
          <ChangeList changes={moved} schema={schema} />
        </div>
        {stale ? (
          <DraftChoice desk={desk} />
        ) : (
          <Button className="mt-2" onClick={desk.acknowledge}>
            I have seen it
          </Button>
        )}
      </Notice>
    );
  }
  if (stale) {
    return (
      <Notice icon={<PencilLine />} title="Your draft was begun on an earlier version">
        <DraftChoice desk={desk} />
      </Notice>
    );
  }
  return null;
}

/** Shown once if anything below or above is marked. */
export function UnseenNote({ desk }: { desk: Desk }) {
  const { approval, proposed, whole } = desk;
  const { show, original } = whole;
  const found = useMemo(
    () =>
      unseenIn(
        approval,
        [proposed, show, original].filter((value) => !isLong(value)),
      ),
    [approval, proposed, show, original],
  );
  const inLong = [useUnseenInLong(proposed), useUnseenInLong(show), useUnseenInLong(original)].includes(true);
  if (!found && !inLong) return null;
  return (
    <p role="note" className="flex gap-2 rounded-md border bg-warn-bg px-4 py-2.5 text-small text-warn-text">
      <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        <strong className="font-semibold">It contains invisible characters.</strong> They are marked with their codes,
        and have no effect on how the text is shown here. Ask yourself why they are there.
      </span>
    </p>
  );
}

/** Longer values are scanned in a worker. */
const longest = 200_000;
const isLong = (value: Raw | null | undefined) => (value?.$json.length ?? 0) > longest;

function useUnseenInLong(value: Raw | null | undefined): boolean {
  const [found, setFound] = useState<Raw>();
  useEffect(() => {
    if (!value || !isLong(value)) return;
    // If the scan fails, warn anyway.
    aside("unseen", value.$json).then(
      (some) => some && setFound(value),
      () => setFound(value),
    );
  }, [value]);
  return found !== undefined && found === value;
}

function DraftChoice({ desk }: { desk: Desk }) {
  const { stale, schema } = desk;
  if (!stale) return null;
  return (
    <div className="mt-2">
      <p className="mb-1">Your changes:</p>
      <div className="rounded-sm bg-surface text-text">
        <ChangeList changes={stale.mine} schema={schema} />
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button onClick={desk.rebase}>Apply them to the new version</Button>
        <Button
          look="ghost"
          onClick={() => {
            desk.stopEditing(true);
            desk.acknowledge();
          }}
        >
          Discard them
        </Button>
      </div>
    </div>
  );
}

/** Edits from an earlier visit to an approval that has been settled since. */
function Unsent({ desk }: { desk: Desk }) {
  if (desk.late || desk.changes.length === 0) return null;
  return (
    <Notice icon={<PencilLine />} title="Your changes were not sent">
      <div className="rounded-sm bg-surface text-text">
        <ChangeList changes={desk.changes} schema={desk.schema} />
      </div>
      <Button className="mt-2" look="ghost" onClick={desk.dropDraft}>
        Discard them
      </Button>
    </Notice>
  );
}

function lastEditor(a: Approval): string {
  return a.decisions.findLast((d) => d.act === "modify")?.by ?? "Someone";
}

function Notice({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <section id="since-then" aria-label={title} className="motion-pop rounded-md border bg-warn-bg p-3 text-warn-text">
      <h2 role="alert" className="mb-1 flex items-center gap-2 font-semibold [&_svg]:size-4">
        {icon}
        <Visible text={title} />
      </h2>
      {children}
    </section>
  );
}
