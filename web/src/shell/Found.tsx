import { Command } from "cmdk";
import { CircleHelp, ListTree, type LucideIcon, Workflow } from "lucide-react";
import { useEffect, useState } from "react";
import { useSearch } from "../api/documents";
import type { Found as Entry } from "../api/types";
import { type Target, useNavigate } from "../router";
import { Visible } from "../ui/Visible";
import { approvalStatus, runStatus } from "../words";
import { groupLook, itemLook } from "./look";

/** The characters to type, and the pause, before the server is queried. */
const lettersMin = 2;
const pauseMs = 150;

const kinds = {
  approval: { heading: "Approvals", icon: CircleHelp, to: (id) => ({ to: "/approvals/$id", params: { id } }) },
  run: { heading: "Runs", icon: ListTree, to: (id) => ({ to: "/runs/$id", params: { id } }) },
  workflow: { heading: "Runs of a workflow", icon: Workflow, to: (id) => ({ to: "/runs", search: { workflow: id } }) },
} satisfies Record<string, { heading: string; icon: LucideIcon; to: (id: string) => Target }>;

type Kind = keyof typeof kinds;

/** Approvals, runs and workflows that match the typed text, below the commands. */
export function Found({ typed, onChosen }: { typed: string; onChosen: () => void }) {
  const asked = usePaused(typed.trim());
  const { data } = useSearch(asked.length < lettersMin ? "" : asked);
  const navigate = useNavigate();
  if (typed.trim().length < lettersMin || !data) return null;
  return (Object.keys(kinds) as Kind[]).map((kind) => {
    const entries = data.items.filter((entry) => entry.kind === kind);
    if (entries.length === 0) return null;
    const { heading, icon: Icon, to } = kinds[kind];
    return (
      <Command.Group key={kind} heading={heading} forceMount className={groupLook}>
        {entries.map((entry) => (
          <Command.Item
            key={entry.id}
            value={`found ${entry.id}`}
            forceMount
            onSelect={() => {
              onChosen();
              void navigate(to(entry.id));
            }}
            className={itemLook}
          >
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">
              <Visible text={entry.title} />
              {entry.subject && entry.subject !== entry.title && (
                <span className="text-muted">
                  {" "}
                  · <Visible text={entry.subject} />
                </span>
              )}
            </span>
            <span className="shrink-0 text-meta text-muted">{statusOf(entry)}</span>
          </Command.Item>
        ))}
      </Command.Group>
    );
  });
}

function statusOf(entry: Entry): string {
  const words: Record<string, { label: string }> = entry.kind === "run" ? runStatus : approvalStatus;
  return (entry.status && words[entry.status]?.label) ?? "";
}

/** A text, once it has stopped changing for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
