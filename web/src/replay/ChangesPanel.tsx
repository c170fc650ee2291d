import { useQuery } from "@tanstack/react-query";
import { PinOff } from "lucide-react";
import { useMemo, useState } from "react";
import { runStateQuery } from "../api";
import { Button, ErrorNote, Skeleton } from "../ui";
import { format } from "../words";
import { ChangeView } from "./ChangeView";
import { changesBetween, hasBlobs, type Section } from "./changes";

const shownMax = 100;

interface Props {
  id: string;
  at: number;
  /** The other position; the event before if nothing is pinned. */
  pinned?: number;
  onUnpin: () => void;
}

/** The differences between this position and the pinned one, or the one before. */
export function ChangesPanel({ id, at, pinned, onUnpin }: Props) {
  const [full, setFull] = useState(false);
  const [from, to] = pinned === undefined ? [at - 1, at] : [Math.min(pinned, at), Math.max(pinned, at)];
  const a = useQuery({ ...runStateQuery(id, from, full), enabled: from >= 1 && from !== to });
  const b = useQuery({ ...runStateQuery(id, to, full), enabled: from >= 1 && from !== to });
  const sections = useMemo(() => (a.data && b.data ? changesBetween(a.data, b.data) : undefined), [a.data, b.data]);
  const error = a.error ?? b.error;
  return (
    <div className="space-y-3 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-small text-muted">
          {pinned === undefined
            ? "What this event changed. Pin a position to compare with another one."
            : `From event ${format.count(from)} to event ${format.count(to)}.`}
        </p>
        {pinned !== undefined && (
          <Button size="small" onClick={onUnpin}>
            <PinOff aria-hidden />
            Unpin
          </Button>
        )}
      </div>
      {from < 1 && <p className="text-muted">This is the first event: there is nothing before it.</p>}
      {from === to && <p className="text-muted">Both positions are the same. Move one to compare.</p>}
      {error && <ErrorNote error={error} />}
      {!sections && !error && from >= 1 && from !== to && <Skeleton className="h-24" />}
      {sections?.length === 0 && <p className="text-muted">Nothing in the state changed.</p>}
      {sections && hasBlobs(sections) && !full && (
        <p className="rounded-sm bg-warn-bg p-2.5 text-small text-warn-text">
          Values over 64 KiB are compared by their fingerprint.{" "}
          <Button size="small" onClick={() => setFull(true)}>
            Compare them whole
          </Button>
        </p>
      )}
      {sections?.map((section) => (
        <SectionView key={section.title} section={section} />
      ))}
    </div>
  );
}

function SectionView({ section }: { section: Section }) {
  const [all, setAll] = useState(false);
  const shown = all ? section.changes : section.changes.slice(0, shownMax);
  return (
    <section>
      <h3 className="mb-1 text-control font-semibold">
        {section.title}{" "}
        <span className="font-normal text-muted">{format.plural(section.changes.length, "change")}</span>
      </h3>
      <ul className="divide-y rounded-sm border text-small">
        {shown.map((change) => (
          <ChangeView key={change.path} change={change} />
        ))}
      </ul>
      {shown.length < section.changes.length && (
        <Button look="ghost" size="small" onClick={() => setAll(true)}>
          Show all {format.count(section.changes.length)}
        </Button>
      )}
    </section>
  );
}
