import type { Approval } from "../api/types";
import { Visible } from "../ui/Visible";
import { spelled } from "../words/unseen";
import { gistOf } from "./gist";

/** What is asked, and about whom or what: many rows ask the same. */
export function Title({ approval, className }: { approval: Approval; className?: string }) {
  const gist = gistOf(approval);
  const title = [approval.title, ...gist.map(({ label, text }) => `${label}: ${text}`)].join("\n");
  return (
    <span className={className} title={spelled(title)}>
      <span className="font-medium">
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
    </span>
  );
}
