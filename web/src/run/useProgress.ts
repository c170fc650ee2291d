import { useEffect, useState } from "react";
import { readStream } from "../live/sse";

/** An agent's output while it works: text that is not stored and has no number. */
export type Speech = ReadonlyMap<string, { step: string; text: string; percent?: number }>;

const silent: Speech = new Map();
const textMax = 20_000;

interface Heard {
  type?: string;
  data?: { step?: string; index?: number; text?: string; percent?: number };
}

/** Applies one event of the stream to the current output. */
export function hear(speech: Speech, event: Heard): Speech {
  const { step, index, text = "", percent } = event.data ?? {};
  if (!step) return speech;
  const key = index === undefined ? step : `${step} ${index}`;
  if (event.type === "step.progress") {
    const next = new Map(speech);
    // With a percentage it is a message of its own; without, a piece of a text being written.
    const before = percent ? "" : (speech.get(key)?.text ?? "");
    next.set(key, { step, text: (before + text).slice(-textMax), percent });
    return next;
  }
  if (!/^(turn\.(completed|retrying)|step\.(completed|returned|failed|retrying))$/.test(event.type ?? ""))
    return speech;
  if (!speech.has(key)) return speech;
  const next = new Map(speech);
  next.delete(key);
  return next;
}

/** Follows the output of a run's agents while they work, as long as on is true. */
export function useProgress(run: string, on: boolean): Speech {
  const [speech, setSpeech] = useState<Speech>(silent);
  useEffect(() => {
    if (!on) return;
    const stop = new AbortController();
    const listen = async () => {
      for (let failures = 0; !stop.signal.aborted; failures++) {
        try {
          await readStream({
            url: `/api/v1/events?progress=true&run=${encodeURIComponent(run)}`,
            signal: stop.signal,
            onOpen: () => {
              failures = 0;
            },
            onMessage: (message) => {
              if (message.data !== "") setSpeech((now) => hear(now, JSON.parse(message.data) as Heard));
            },
          });
        } catch {
          // The page shows a lost connection elsewhere; this stream is optional.
        }
        await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, 1000 * 2 ** failures)));
      }
    };
    void listen();
    return () => {
      stop.abort();
      setSpeech(silent);
    };
  }, [run, on]);
  return speech;
}
