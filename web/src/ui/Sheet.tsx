import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "../lib/cn";
import { IconButton } from "./Button";
import { closeOnLeft, leaveToList } from "./escape";
import { focusAll } from "./focusAll";
import { useReturnFocus } from "./returnFocus";

/** A panel over the page: from the right, or from below on phones. */
export function Sheet(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  className?: string;
}) {
  const returnFocus = useReturnFocus(props.open);
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="motion-fade fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusAll}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={leaveToList}
          onKeyDown={closeOnLeft(props.onOpenChange)}
          className={cn(
            "fixed z-50 flex flex-col bg-raised shadow-overlay outline-none",
            "max-sm:motion-rise max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[85dvh] max-sm:rounded-t-lg max-sm:pb-[env(safe-area-inset-bottom)]",
            "sm:motion-slide sm:inset-y-0 sm:right-0 sm:w-[min(480px,90vw)]",
            props.className,
          )}
        >
          <header className="flex items-center gap-2 border-b px-4 py-2">
            <Radix.Title className="min-w-0 flex-1 truncate text-lead font-semibold">{props.title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{props.children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
