import type { Approval } from "../api/types";
import { decidesFiles, filesFilter } from "../decide/files";
import { subjectBeside } from "../decide/subject";
import { headline } from "../decide/words";
import { format } from "../words";
import { hasUnseen } from "../words/unseen";
import { element } from "./element";

/**
 * Draws who wants what at the top of an approval page. Looks like decide/ApprovalDetail.tsx. Returns where the rest of
 * the page's data is.
 */
export function drawHead(answer: string, place: HTMLElement): string[] {
  const approval = JSON.parse(answer) as Approval;
  if (!approval.title || !approval.action) return []; // an error, which the program reports
  draw(approval, place);
  return besides(approval);
}

/** The run and its files, as the program requests them (approval/index.tsx). */
function besides(approval: Approval): string[] {
  const run = `/api/v1/runs/${encodeURIComponent(approval.run)}`;
  if (!decidesFiles(approval)) return [run];
  const files = Object.entries(filesFilter(approval.run)).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return [run, `/api/v1/deliverables?${files.join("&")}`];
}

function draw(approval: Approval, place: HTMLElement): void {
  const { who, what } = headline(approval);
  const run = `a run of ${format.title(approval.workflow)}`;
  const subject = subjectBeside(approval.subject, approval.proposed);
  if (hasUnseen(who + what + approval.title + subject)) return; // has to be marked, which the program does
  const index = approval.index === undefined ? "" : `, element ${approval.index + 1}`;
  place.className = "min-w-0";
  place.replaceChildren(
    // The back link is left to the program; its space is reserved.
    element(
      "span",
      "invisible mb-1 inline-flex items-center gap-1 text-small pointer-coarse:-my-2 pointer-coarse:min-h-11",
      [element("span", "size-3.5"), " Inbox"],
    ),
    element("p", "text-muted", [
      element("span", "font-medium text-text", [who]),
      ` ${what}${approval.action.type === "run" ? " " : ", in "}`,
      element("span", "text-accent-text underline decoration-1 underline-offset-2", [run]),
      index,
    ]),
    element("h1", "mt-0.5 text-heading font-semibold tracking-tight break-words", [approval.title]),
    ...(subject ? [element("p", "mt-1", [subject])] : []),
  );
}
