import { Bot, Plus, Wrench } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useToolSearch } from "../../api/plans";
import type { Tool } from "../../api/types";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { ErrorNote } from "../../ui/ErrorNote";
import { Field } from "../../ui/Field";
import { Input } from "../../ui/Input";
import { Visible } from "../../ui/Visible";
import { format } from "../../words";
import { spelled } from "../../words/unseen";
import { useSettled } from "../useSettled";

/** Searches the catalogue for something to add; arrow keys move through what was found. */
export function AddStep({ onAdd, disabled }: { onAdd: (tool: Tool) => void; disabled: boolean }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const q = useSettled(typed.trim(), 250);
  const found = useToolSearch(open ? q : "");
  const list = useRef<HTMLUListElement>(null);
  const cancelled = useRef(false);
  if (!open) {
    return (
      <Button disabled={disabled} autoFocus={cancelled.current} onClick={() => setOpen(true)}>
        <Plus aria-hidden /> Add a step
      </Button>
    );
  }
  const tools = q === "" ? [] : (found.data?.items ?? []).filter((t) => !t.agents_only);
  const close = (cancel: boolean) => {
    cancelled.current = cancel;
    setOpen(false);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      return close(true);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    if (!step || buttons.length === 0) return;
    event.preventDefault();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
  };
  return (
    <div role="group" aria-label="Add a step" className="rounded-sm border p-3" onKeyDown={onKeyDown}>
      <Field
        label="What should be done?"
        hint="In plain words: scan the build for secrets. Tools and agents that fit are listed."
      >
        <Input
          type="search"
          autoComplete="off"
          autoFocus
          value={typed}
          onChange={(e) => setTyped(e.target.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter" || e.ctrlKey || e.metaKey) return;
            e.preventDefault();
            list.current?.querySelector("button")?.focus();
          }}
        />
      </Field>
      {found.error && <ErrorNote error={found.error} />}
      {q !== "" && !found.isFetching && tools.length === 0 && !found.error && (
        <p className="text-muted">No tool or agent fits. Use other words.</p>
      )}
      <ul ref={list} aria-label="Tools and agents" className="divide-y rounded-sm border empty:hidden">
        {tools.map((tool) => (
          <li key={tool.name}>
            <Found
              tool={tool}
              onAdd={() => {
                onAdd(tool);
                close(false);
              }}
            />
          </li>
        ))}
      </ul>
      {found.data?.notes?.map((note) => (
        <p key={note} className="mt-1 text-small break-words text-muted">
          <Visible text={note} />
        </p>
      ))}
      <Button look="ghost" size="small" className="mt-2 -ml-2" onClick={() => close(true)}>
        Cancel
      </Button>
    </div>
  );
}

function Found({ tool, onAdd }: { tool: Tool; onAdd: () => void }) {
  const agent = tool.name.startsWith("agent:");
  const Icon = agent ? Bot : Wrench;
  const name = agent ? tool.name.slice("agent:".length) : tool.name;
  return (
    <button
      type="button"
      aria-label={spelled(`Add ${name}`)}
      className="flex min-h-(--tap) w-full min-w-0 items-start gap-2 px-3 py-2 text-left hover:bg-hover focus-visible:bg-hover"
      onClick={onAdd}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium break-all">
          <Visible text={name} />
        </span>
        <span className="line-clamp-2 text-small break-words text-muted">
          <Visible text={tool.description} />
        </span>
      </span>
      {tool.risk && tool.risk !== "safe" && <Badge tone="warn">{format.title(tool.risk)}</Badge>}
    </button>
  );
}
