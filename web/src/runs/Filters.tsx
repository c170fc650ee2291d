import { Bookmark, ChevronDown, ListFilter, Tag, Trash2, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useMe, useWorkflows } from "../api";
import type { RunStatus } from "../api/types";
import { cn } from "../lib/cn";
import { Button, IconButton } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Menu, MenuItem, MenuSeparator } from "../ui/Menu";
import { SearchBox } from "../ui/SearchBox";
import { Select } from "../ui/Select";
import { format, runStatus } from "../words";
import { builtIn, type Chosen, chosenOf, isFiltered, loadViews, saveViews, searchOf, shows, type View } from "./filter";

interface Props {
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}

/** On phones the filters are folded: the list matters more. */
export function FiltersButton({ chosen, open, onOpen }: { chosen: Chosen; open: boolean; onOpen: () => void }) {
  const count = Object.values(searchOf(chosen)).filter(Boolean).length;
  return (
    <Button
      className={cn("sm:hidden", count > 0 && "border-accent text-accent-text")}
      aria-expanded={open}
      onClick={onOpen}
    >
      <ListFilter aria-hidden />
      {count > 0 ? `Filters (${count})` : "Filters"}
    </Button>
  );
}

const statuses = Object.keys(runStatus) as RunStatus[];

/** The filters, all kept in the URL. */
export function Filters({ chosen, onChange, open }: Props & { open: boolean }) {
  const { data: workflows } = useWorkflows();
  const { data: me } = useMe();
  const set = (change: Partial<Chosen>) => onChange({ ...chosen, ...change });
  const toggle = (status: RunStatus) =>
    set({
      status: chosen.status.includes(status) ? chosen.status.filter((s) => s !== status) : [...chosen.status, status],
    });
  const names = [...new Set([...(workflows?.items.map((w) => w.name) ?? []), chosen.workflow].filter(Boolean))];
  return (
    <div
      className={cn(
        "flex flex-wrap items-center gap-2 px-4 pb-3 sm:px-6",
        open ? "max-sm:grid max-sm:grid-cols-2" : "max-sm:hidden",
      )}
    >
      <SearchBox key={`q ${chosen.q}`} label="Search runs" q={chosen.q} onSearch={(q) => set({ q })} />
      <Menu
        align="start"
        trigger={
          <Button
            className={cn(
              "justify-between px-2.5 font-normal",
              chosen.status.length > 0 && "border-accent text-accent-text",
            )}
          >
            <span className="truncate">{statusText(chosen.status)}</span> <ChevronDown className="text-muted" />
          </Button>
        }
      >
        {statuses.map((status) => (
          <MenuItem
            key={status}
            icon={runStatus[status].icon}
            checked={chosen.status.includes(status)}
            onSelect={() => toggle(status)}
          >
            {runStatus[status].label}
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem onSelect={() => set({ status: [] })}>Any status</MenuItem>
      </Menu>
      <Select
        label="Workflow"
        value={chosen.workflow}
        onValueChange={(workflow) => set({ workflow })}
        options={[
          { value: "", label: "Any workflow" },
          ...names.map((name) => ({ value: name, label: format.title(name) })),
        ]}
      />
      <Owner key={chosen.owner} owner={chosen.owner} me={me?.name ?? ""} onOwner={(owner) => set({ owner })} />
      <Labels labels={chosen.label} onLabels={(label) => set({ label })} />
      {chosen.since && (
        <Button onClick={() => set({ since: "" })} className="border-accent text-accent-text">
          Started today <X aria-label="Remove" />
        </Button>
      )}
      {isFiltered(chosen) && (
        <Button look="ghost" onClick={() => onChange(chosenOf({}))}>
          Clear
        </Button>
      )}
    </div>
  );
}

function statusText(chosen: RunStatus[]): string {
  if (chosen.length === 0) return "Any status";
  if (chosen.length <= 2) return chosen.map((s) => runStatus[s].label).join(", ");
  return format.plural(chosen.length, "status", "statuses");
}

function Owner({ owner, me, onOwner }: { owner: string; me: string; onOwner: (owner: string) => void }) {
  const [text, setText] = useState(owner);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onOwner(text.trim());
      }}
      className="flex min-w-0 items-center gap-1"
    >
      <Input
        aria-label="Started by"
        placeholder="Started by"
        value={text}
        onChange={(e) => setText(e.target.value)}
        onBlur={() => text.trim() !== owner && onOwner(text.trim())}
        className={cn("w-32 max-sm:flex-1", owner && "border-accent text-accent-text")}
      />
      {me && owner !== me && <Button onClick={() => onOwner(me)}>Mine</Button>}
    </form>
  );
}

function Labels({ labels, onLabels }: { labels: string[]; onLabels: (labels: string[]) => void }) {
  const [text, setText] = useState("");
  const add = (event: FormEvent) => {
    event.preventDefault();
    const label = text.trim().replace(/\s*[:=]\s*/, ":");
    if (!label.includes(":") || labels.includes(label)) return;
    onLabels([...labels, label]);
    setText("");
  };
  return (
    <>
      <form onSubmit={add}>
        <Input
          aria-label="Label, as name:value"
          placeholder="Label, team:claims"
          title="Name and value with a colon in between; press Enter."
          value={text}
          onChange={(e) => setText(e.target.value)}
          className="w-40 max-sm:w-full"
        />
      </form>
      {labels.map((label) => (
        <Button
          key={label}
          className="border-accent text-accent-text"
          onClick={() => onLabels(labels.filter((l) => l !== label))}
        >
          <Tag /> {label.replace(":", ": ")} <X aria-label="Remove" />
        </Button>
      ))}
    </>
  );
}

/** Named filters: the built-in ones and the user's own. */
export function Views({ chosen, onChange }: Props) {
  const [own, setOwn] = useState(loadViews);
  const [naming, setNaming] = useState(false);
  const keep = (views: View[]) => {
    setOwn(views);
    saveViews(views);
  };
  const known = [...builtIn, ...own].some((view) => shows(view, chosen));
  return (
    <nav aria-label="Views" className="flex min-w-0 flex-1 gap-1 overflow-x-auto px-4 sm:px-6">
      {[...builtIn, ...own].map((view) => {
        const on = shows(view, chosen);
        return (
          <span key={view.name} className={cn("flex shrink-0 items-center rounded-full", on && "bg-accent-bg")}>
            <button
              type="button"
              aria-current={on ? "page" : undefined}
              onClick={() => onChange(chosenOf(view.search))}
              className={cn(
                "h-7 rounded-full px-3 text-control whitespace-nowrap pointer-coarse:h-11 pointer-coarse:min-w-11",
                on ? "font-medium text-accent-text" : "text-muted hover:bg-hover hover:text-text",
              )}
            >
              {view.name}
            </button>
            {on && !view.builtIn && (
              <IconButton
                label={`Forget the view ${view.name}`}
                className="reach size-7"
                onClick={() => keep(own.filter((v) => v !== view))}
              >
                <Trash2 />
              </IconButton>
            )}
          </span>
        );
      })}
      {isFiltered(chosen) && !known && (
        <Button look="ghost" size="small" onClick={() => setNaming(true)}>
          <Bookmark /> Keep as a view
        </Button>
      )}
      {naming && (
        <NameView
          taken={[...builtIn, ...own].map((v) => v.name)}
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep([...own, { name, search: searchOf(chosen) }]);
            setNaming(false);
          }}
        />
      )}
    </nav>
  );
}

function NameView(props: { taken: string[]; onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const used = props.taken.includes(name.trim());
  const keep = () => name.trim() && !used && props.onName(name.trim());
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title="Keep this view"
      description="It stays in this browser."
      footer={
        <Button look="filled" disabled={!name.trim() || used} onClick={keep}>
          Keep
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keep();
        }}
      >
        <Field label="Name" error={used ? "A view with this name already exists." : undefined}>
          <Input value={name} onChange={(e) => setName(e.target.value)} autoFocus maxLength={40} />
        </Field>
      </form>
    </Dialog>
  );
}
