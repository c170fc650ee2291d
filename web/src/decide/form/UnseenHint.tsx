import type { ReactNode } from "react";
import { marked, Visible } from "../../ui/Visible";
import { hasUnseen, unseenKinds } from "../../words/unseen";

const shownMax = 300; // characters; longer texts can be read in the list of changes first

/** Shown below a field, which cannot mark anything itself: the invisible characters in its text, and how it reads. */
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
        It contains invisible characters: {unseenKinds(text).slice(0, 8).join(", ")}.
      </span>
      {text.length <= shownMax && (
        <span dir="auto" className="mt-0.5 block break-words whitespace-pre-wrap">
          {marked(text)}
        </span>
      )}
    </>
  );
}
