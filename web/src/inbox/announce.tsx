import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { format } from "../words";

export interface Announcer {
  /** Has screen readers announce a text at the next pause. */
  say: (text: string) => void;
  region: ReactNode;
}

export function useAnnounce(): Announcer {
  const [said, setSaid] = useState({ text: "", n: 0 });
  const say = useCallback((text: string) => setSaid((before) => ({ text, n: before.n + 1 })), []);
  // A repeated text is announced again only if the node is new.
  const region = (
    <div aria-live="polite" className="sr-only">
      <p key={said.n}>{said.text}</p>
    </div>
  );
  return { say, region };
}

/** Announces the number of new approvals once they have stopped arriving for a moment. */
export function useAnnounceArrivals(count: number, say: (text: string) => void): void {
  const told = useRef(0);
  useEffect(() => {
    if (count <= told.current) {
      told.current = count;
      return;
    }
    const timer = setTimeout(() => {
      told.current = count;
      say(`${format.plural(count, "new approval")} since you opened the list`);
    }, 1000);
    return () => clearTimeout(timer);
  }, [count, say]);
}
