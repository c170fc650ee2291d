import type { ReactNode } from "react";
import { marked, Visible } from "../../ui/Visible";
import { hasUnseen, unseenKinds } from "../../words/unseen";

const shownMax = 300; // characters; longer ones are in the list of changes, and to read before

/** Below a field, which cannot mark anything in itself: what its text holds that cannot be seen, and how it reads. */
export function unseenHint(text: string, hint?: string): ReactNode {
  if (!hasUnseen(text)) return hint && <Visible text={hint} />;
  return (
    <>
      {hint && (
        <>
          <Visible text={hint} />{" "}
        </>
      )}
      <span className="text-warn-text">
        There are characters in it that cannot be seen: {unseenKinds(text).slice(0, 8).join(", ")}.
      </span>
      {text.length <= shownMax && (
        <span dir="auto" className="mt-0.5 block break-words whitespace-pre-wrap">
          {marked(text)}
        </span>
      )}
    </>
  );
}
