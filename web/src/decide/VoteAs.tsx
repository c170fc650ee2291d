import { format } from "../words";
import type { Desk } from "./useDesk";

/** Which of several roles the vote is cast as: each has places of its own to fill, and one person fills one. */
export function VoteAs({ desk }: { desk: Desk }) {
  const roles = desk.approval.vote_as ?? [];
  return (
    <label className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-control">
      <span className="text-muted">Your vote counts as</span>
      <select
        value={desk.role}
        disabled={desk.sending}
        onChange={(e) => desk.setRole(e.target.value)}
        className="h-(--tap) max-w-full min-w-32 rounded-sm border border-border-strong bg-surface px-2.5 text-control text-text hover:bg-hover pointer-coarse:text-[16px]"
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {format.title(role)}
          </option>
        ))}
      </select>
    </label>
  );
}
