import { ChevronFirst, ChevronLast, Pause, Play, StepBack, StepForward } from "lucide-react";
import { useId } from "react";
import { Button, IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { format } from "../words";
import { type MarkKind, type Marks, nextOf } from "./marks";
import { speeds } from "./player";
import { markLooks } from "./Scrubber";
import type { usePlayer } from "./useReplay";

interface Props {
  player: ReturnType<typeof usePlayer>;
  at: number;
  last: number;
  marks: Marks;
  /** Not all events are loaded yet, so there may be more ticks. */
  reading: boolean;
  onGo: (seq: number) => void;
}

/** Play, step, speed, and jumps to notable events. */
export function Transport({ player, at, last, marks, reading, onGo }: Props) {
  const box = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="flex items-center gap-1">
        <IconButton label="First event" disabled={at <= 1} onClick={() => onGo(1)}>
          <ChevronFirst />
        </IconButton>
        <IconButton label="Event before" disabled={at <= 1} onClick={() => onGo(at - 1)}>
          <StepBack />
        </IconButton>
        <Button look="filled" className="w-24" onClick={player.toggle} disabled={last <= 1}>
          {player.playing ? <Pause aria-hidden /> : <Play aria-hidden />}
          {player.playing ? "Pause" : "Play"}
        </Button>
        <IconButton label="Next event" disabled={at >= last} onClick={() => onGo(at + 1)}>
          <StepForward />
        </IconButton>
        <IconButton label="Newest event" disabled={at >= last} onClick={() => onGo(last)}>
          <ChevronLast />
        </IconButton>
      </div>
      <div className="flex items-center gap-3">
        <fieldset aria-label="Speed" className="flex overflow-hidden rounded-sm border">
          {speeds.map((speed) => (
            <button
              key={speed}
              type="button"
              aria-pressed={player.speed === speed}
              title={speed === 1 ? "As fast as it was" : `${speed} times as fast`}
              onClick={() => player.setSpeed(speed)}
              className="h-7 px-2.5 text-small text-muted hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:text-accent-text pointer-coarse:h-11 pointer-coarse:px-4"
            >
              {speed}×
            </button>
          ))}
        </fieldset>
        <label htmlFor={box} className="flex items-center gap-2 text-control pointer-coarse:min-h-11">
          <Checkbox id={box} checked={player.skipWaits} onCheckedChange={player.setSkipWaits} />
          Skip waits
        </label>
        {player.playing && player.delay > 3000 && (
          <span className="text-small text-muted">next in {format.duration(player.delay)}</span>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-1 sm:ml-auto">
        {(Object.keys(markLooks) as MarkKind[]).map((kind) => (
          <MarkButton key={kind} kind={kind} seqs={marks[kind]} at={at} onGo={onGo} />
        ))}
        {reading && <span className="px-2 text-small text-muted">reading the log …</span>}
      </div>
    </div>
  );
}

/** Their count; pressing it goes to the next one, and after the last to the first. */
function MarkButton(props: { kind: MarkKind; seqs: number[]; at: number; onGo: (seq: number) => void }) {
  const { kind, seqs, at, onGo } = props;
  const look = markLooks[kind];
  if (seqs.length === 0) return null;
  return (
    <button
      type="button"
      title={`To the next ${look.one}`}
      onClick={() => onGo(nextOf(seqs, at, 1) ?? seqs[0] ?? at)}
      className="flex h-7 items-center gap-1.5 rounded-sm px-2 text-small text-muted hover:bg-hover hover:text-text pointer-coarse:h-11"
    >
      <span aria-hidden className={`h-3 w-0.5 rounded-full ${look.dot}`} />
      {format.plural(seqs.length, look.one, look.many)}
    </button>
  );
}
