import type { LucideIcon } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "../lib/cn";
import { Kbd } from "./Kbd";

/** A button that opens a list of commands. */
export function Menu({
  trigger,
  open,
  children,
  align = "end",
}: {
  trigger: ReactNode;
  /** Whether it is initially open. */
  open?: boolean;
  children: ReactNode;
  align?: "start" | "end";
}) {
  return (
    <Radix.Root modal={false} defaultOpen={open}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="motion-pop z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 overflow-y-auto rounded-md bg-raised p-1 shadow-overlay"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ItemProps {
  icon?: LucideIcon;
  keys?: string;
  tone?: "bad";
  checked?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, tone, checked, disabled, onSelect, children }: ItemProps) {
  return (
    <Radix.Item
      disabled={disabled}
      onSelect={onSelect}
      aria-checked={checked}
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      className={cn(
        "flex min-h-(--tap) items-center gap-2 rounded-sm px-2 text-control outline-none data-disabled:opacity-50 data-highlighted:bg-hover",
        tone === "bad" && "text-bad-text",
        checked && "bg-accent-bg text-accent-text",
      )}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      <span className="flex-1">{children}</span>
      {keys && <Kbd keys={keys} />}
    </Radix.Item>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-border" />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 text-meta text-muted">{children}</Radix.Label>;
}
