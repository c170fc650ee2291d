import { Button } from "../ui/Button";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { fieldValue } from "../words/fields";
import type { Clash } from "./model/merge";
import type { Editor } from "./useEditor";

/** Fields that two people changed at once: mine stays until I say otherwise. */
export function Clashes({ editor }: { editor: Editor }) {
  if (editor.clashes.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label="Conflicting changes"
      className="mx-3 mb-3 rounded-md border border-warn-fill bg-warn-bg p-3"
    >
      <h2 className="font-medium text-warn-text">
        {editor.mergedFrom ?? "Another person"} changed the same {editor.clashes.length === 1 ? "field" : "fields"}.
        Everything else was merged.
      </h2>
      <ul className="mt-2 space-y-2">
        {editor.clashes.map((clash) => (
          <li key={clash.path.join(" ")} className="flex flex-wrap items-center gap-2 text-control">
            <span className="min-w-0 flex-1 basis-60 break-words">
              <span className="font-medium">
                <Visible text={clash.where} />
              </span>
              : yours is <Side clash={clash} value={clash.mine} />, theirs is{" "}
              <Side clash={clash} value={clash.theirs} />
            </span>
            <Button
              size="small"
              aria-label={`Keep mine: ${clash.where}`}
              onClick={() => {
                keepFocus();
                editor.settle(clash, false);
              }}
            >
              Keep mine
            </Button>
            <Button
              size="small"
              aria-label={`Use theirs: ${clash.where}`}
              onClick={() => {
                keepFocus();
                editor.settle(clash, true);
              }}
            >
              Use theirs
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const shownMax = 100;

function Side({ clash, value }: { clash: Clash; value: unknown }) {
  const removed = clash.field.length === 0 && value === undefined;
  const text = removed ? "removed" : fieldValue(clash.kind, clash.field, value);
  return (
    <span className="font-medium">
      <Visible text={text.length > shownMax ? `${text.slice(0, shownMax)}…` : text} />
    </span>
  );
}
