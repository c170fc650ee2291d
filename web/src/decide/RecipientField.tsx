import { type KeyboardEvent, useId, useState } from "react";
import { useRecipients } from "../api/approvals";
import { cn } from "../lib/cn";
import { Avatar } from "../ui/Avatar";
import { Input } from "../ui/Input";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { useSettled } from "./useSettled";

interface Props {
  approval: string;
  kind: "person" | "role";
  value: string;
  onChange: (name: string) => void;
  /** Already being delegated, so no search. */
  resting: boolean;
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

const shown = 6;
const typingMs = 200;

/** A name, picked from the possible recipients or typed: people from an identity provider may not be known here yet. */
export function RecipientField({ approval, kind, value, onChange, resting, ...field }: Props) {
  const typed = useSettled(value.trim(), typingMs);
  const [at, setAt] = useState(-1);
  const list = useId();
  const { data } = useRecipients(approval, typed, !resting);
  const found = (data?.items ?? []).filter((one) => one.kind === kind);
  const chosen = found.some((one) => one.name === value.trim());
  const options = chosen ? [] : found.slice(0, shown);
  const active = options[at];
  const choose = (name: string) => {
    onChange(name);
    setAt(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt(Math.min(options.length - 1, Math.max(-1, at + step)));
    } else if (event.key === "Enter" && plain && active) {
      event.preventDefault();
      choose(active.name);
    }
  };
  return (
    <>
      <Input
        {...field}
        autoFocus
        autoCapitalize="none"
        autoComplete="off"
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active ? `${list}-${at}` : undefined}
        value={value}
        onChange={(event) => choose(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div
        id={list}
        role="listbox"
        aria-label={kind === "role" ? "Roles" : "People"}
        className={cn("mt-1 divide-y rounded-sm border", options.length === 0 && "hidden")}
      >
        {options.map((one, i) => (
          <div
            key={one.to}
            id={`${list}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(one.name)}
            onKeyDown={(event) => event.key === "Enter" && choose(one.name)}
            className="flex min-h-(--tap) cursor-pointer items-center gap-2 px-2.5 py-1 text-control hover:bg-hover aria-selected:bg-accent-bg"
          >
            {kind === "person" && <Avatar name={one.label} decorative />}
            <span className="min-w-0 flex-1 truncate">
              <Visible text={kind === "role" ? format.title(one.name) : one.label} />
              {kind === "person" && one.label !== one.name && (
                <span className="ml-1.5 text-muted">
                  <Visible text={one.name} />
                </span>
              )}
            </span>
            {one.roles.length > 0 && (
              <span className="min-w-0 truncate text-small text-muted">{one.roles.map(format.title).join(", ")}</span>
            )}
          </div>
        ))}
      </div>
    </>
  );
}
