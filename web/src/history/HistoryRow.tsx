import { Ban, ChevronRight, ShieldCheck } from "lucide-react";
import { useId, useState } from "react";
import type { Approval } from "../api/types";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Avatar, RiskBadge, StatusBadge, Time } from "../ui";
import { TestBadge } from "../ui/TestBadge";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { HistoryDetail } from "./HistoryDetail";
import { type Decider, deciderOf, remarkOf, waitedMs } from "./say";

/** One settled approval: subject, outcome, decider and time waited. Expands for details. */
export function HistoryRow({ approval }: { approval: Approval }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const decider = deciderOf(approval);
  const waited = waitedMs(approval);
  const remark = remarkOf(approval);
  return (
    <li className="[contain-intrinsic-size:auto_64px] [content-visibility:auto]">
      <div className="flex items-stretch hover:bg-hover">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={`${open ? "Hide" : "Show"} how ${approval.title} was decided`}
          onClick={() => setOpen(!open)}
          className="flex w-10 shrink-0 items-center justify-center text-muted -outline-offset-2 hover:text-text pointer-coarse:w-11"
        >
          <ChevronRight
            aria-hidden
            className={cn("size-4 transition-transform duration-[120ms]", open && "rotate-90")}
          />
        </button>
        <div className="flex min-h-14 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5 py-2 pr-4 lg:gap-x-4">
          <div className="min-w-0 flex-1 basis-64 max-lg:basis-full">
            <Link
              to="/approvals/$id"
              params={{ id: approval.id }}
              className="block truncate font-medium underline-offset-2 hover:underline max-sm:whitespace-normal pointer-coarse:-my-2 pointer-coarse:py-3"
              title={approval.title}
            >
              {approval.title}
            </Link>
            <p className="truncate text-small text-muted" title={remark}>
              <TestBadge test={approval.test_mode} className="mr-1.5 align-text-bottom" />
              {approval.subject && (
                <span className="text-text">
                  <Visible text={approval.subject} /> ·{" "}
                </span>
              )}
              {[format.title(approval.workflow), approval.agent && format.title(approval.agent)]
                .filter(Boolean)
                .join(" · ")}
              {remark && (decider.kind === "rule" ? ` · ${remark}` : ` · “${remark}”`)}
            </p>
          </div>
          {/* On phones two separate lines, the same in every row; else columns. */}
          <span className="flex basis-full flex-wrap gap-x-2 gap-y-1 sm:contents">
            <span className="empty:max-sm:hidden sm:w-28">
              <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} />
            </span>
            <span className="sm:w-44">
              <StatusBadge approval={approval.status} />
            </span>
          </span>
          <WhoDecided decider={decider} className="min-w-0 max-sm:flex-1 sm:w-40" />
          <p className="text-right text-small whitespace-nowrap text-muted max-sm:flex max-sm:gap-3 sm:ml-auto sm:w-28">
            <Time at={approval.outcome?.at ?? approval.requested_at} className="block" />
            <span title={waited === undefined ? "Not asked" : "From request to decision"}>
              {waited === undefined ? "at once" : `waited ${format.duration(waited)}`}
            </span>
          </p>
        </div>
      </div>
      <div id={id} hidden={!open}>
        {open && <HistoryDetail approval={approval} />}
      </div>
    </li>
  );
}

const icons = { rule: ShieldCheck, nobody: Ban };

/** People have an avatar, rules a shield, so they cannot be confused. */
export function WhoDecided({ decider, className }: { decider: Decider; className?: string }) {
  const Icon = decider.kind === "person" ? undefined : icons[decider.kind];
  return (
    <span className={cn("flex items-center gap-2 text-control", className)} title={decider.name}>
      {Icon ? (
        <span className="flex size-6 shrink-0 items-center justify-center rounded-[6px] bg-neutral-bg text-neutral-text">
          <Icon aria-hidden className="size-3.5" />
        </span>
      ) : (
        <Avatar name={decider.name} decorative />
      )}
      <span className="min-w-0">
        <span className="line-clamp-1 break-all">{decider.name}</span>
        {decider.kind === "rule" && <span className="block text-meta text-muted">Policy rule</span>}
      </span>
    </span>
  );
}
