import type { Approval } from "../api/types";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { spelled } from "../words/unseen";
import { gistOf } from "./gist";
import { subjectOf } from "./subject";

/** The request and its subject: many rows have the same title. */
export function Title({ approval, className }: { approval: Approval; className?: string }) {
  const gist = gistOf(approval);
  const { alike } = approval;
  const title = [approval.title, ...gist.map(({ label, text }) => `${label}: ${text}`)].join("\n");
  return (
    <span className={className} title={spelled(title)}>
      {alike && (
        <span className="font-medium">
          {format.count(alike.count)} × {subjectOf(approval).label}
          <span aria-hidden> · </span>
        </span>
      )}
      <span className={alike ? "text-muted" : "font-medium"}>
        <Visible text={approval.title} />
      </span>
      {gist.map(({ label, short }) => (
        <span key={`${label} ${short}`} className="text-muted">
          <span aria-hidden> · </span>
          <bdi>
            <Visible text={short} />
          </bdi>
        </span>
      ))}
      {alike && <span className="text-muted"> and {format.count(alike.count - 1)} more</span>}
    </span>
  );
}
