import { useEffect, useRef, useState } from "react";
import { useDecideMany } from "../api/approvals";
import type { Approval, Batch } from "../api/types";
import { type Fate, fatesOf } from "./batch";
import { titleText } from "./gist";

/** Approvals per request: enough to be fast, few enough to show progress. */
export const chunk = 50;
const slowMs = 1000;

/** Sends a batch in chunks, and reports the result of each. */
export function useSending(act: "approve" | "reject", onDone: (fates: Fate[]) => void) {
  const { mutateAsync } = useDecideMany();
  const [busy, setBusy] = useState(false);
  const [slow, setSlow] = useState(false);
  const [sent, setSent] = useState(0);
  const [fates, setFates] = useState<Fate[]>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const start = async (all: Approval[], comment: string) => {
    setBusy(true);
    timer.current = setTimeout(() => setSlow(true), slowMs);
    const known = new Map(all.map((a) => [a.id, a]));
    const out: Fate[] = [];
    let trouble: string | undefined;
    for (let i = 0; i < all.length; i += chunk) {
      const part = all.slice(i, i + chunk);
      if (trouble === undefined) {
        const batch: Batch = {
          ids: part.map((a) => a.id),
          act,
          versions: Object.fromEntries(part.map((a) => [a.id, a.version])),
          ...(comment ? { comment } : {}),
        };
        try {
          out.push(...fatesOf(known, await mutateAsync(batch)));
          setSent(i + part.length);
          continue;
        } catch (error) {
          trouble = error instanceof Error ? error.message : String(error);
          out.push(
            ...part.map(
              (a): Fate => ({
                id: a.id,
                title: titleText(a),
                kind: "failed",
                reason: `${trouble} It may or may not have been taken; the list will tell.`,
              }),
            ),
          );
          continue;
        }
      }
      out.push(
        ...part.map((a): Fate => ({ id: a.id, title: titleText(a), kind: "failed", reason: `Not sent: ${trouble}` })),
      );
    }
    clearTimeout(timer.current);
    setBusy(false);
    setFates(out);
    onDone(out);
  };
  return { busy, slow, sent, fates, start };
}
