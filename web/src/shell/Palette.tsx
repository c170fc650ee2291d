import { Command } from "cmdk";
import { Dialog as Radix } from "radix-ui";
import { useState } from "react";
import { closeOnLeft } from "../ui/escape";
import { Kbd } from "../ui/Kbd";
import { type PaletteCommand, useRegisteredCommands } from "./commands";
import { Found } from "./Found";
import { groupLook, itemLook } from "./look";

/** Navigation comes first: the preselected entry must do no harm. The page's own commands follow. */
const places = "Go to";
const last = ["Look", "Help"];
const rank = (group: string) => (group === places ? -2 : last.indexOf(group));

/** How well the typed text matches: the start of a name, of a word, anywhere, or not at all. */
export function score(typed: string, names: string[]): number {
  const text = typed.trim().toLowerCase();
  const of = (name: string) => {
    if (name.startsWith(text)) return 1;
    if (name.includes(` ${text}`)) return 0.8;
    return name.includes(text) ? 0.5 : 0;
  };
  return Math.max(0, ...names.map((name) => of(name.toLowerCase())));
}

/** All destinations and commands, found by typing. */
export default function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const registered = useRegisteredCommands();
  const [typed, setTyped] = useState("");
  const close = () => onOpenChange(false);
  const byGroup = new Map<string, PaletteCommand[]>();
  for (const command of registered) {
    const group = command.group ?? "Commands";
    byGroup.set(group, [...(byGroup.get(group) ?? []), command]);
  }
  const groups = [...byGroup].sort(([a], [b]) => rank(a) - rank(b));
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="motion-fade fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onKeyDown={closeOnLeft(onOpenChange)}
          className="motion-pop fixed top-[10vh] left-1/2 z-50 w-[min(560px,calc(100vw-24px))] -translate-x-1/2 overflow-hidden rounded-lg bg-raised shadow-overlay outline-none"
        >
          <Radix.Title className="sr-only">Search or jump to</Radix.Title>
          <Command loop label="Commands" filter={(_id, typed, words) => score(typed, words ?? [])}>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder="Search or jump to…"
              className="h-12 w-full border-b bg-transparent px-4 text-lead outline-none placeholder:text-muted"
            />
            <Command.List className="h-[60vh] overflow-y-auto p-2">
              <Command.Empty className="p-6 text-center text-muted">No matches</Command.Empty>
              {groups.map(([group, commands]) => (
                <Command.Group key={group} heading={group} className={groupLook}>
                  {commands.map((command) => (
                    <Command.Item
                      key={command.id}
                      value={command.id}
                      keywords={[command.label, ...(command.also ?? [])]}
                      onSelect={() => {
                        close();
                        command.run();
                      }}
                      className={itemLook}
                    >
                      {command.icon && <command.icon aria-hidden className="size-4 text-muted" />}
                      <span className="min-w-0 flex-1 truncate">{command.label}</span>
                      {command.keys && <Kbd keys={command.keys} />}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
              {typed && <Found typed={typed} onChosen={close} />}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
