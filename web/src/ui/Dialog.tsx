import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "../lib/cn";
import { IconButton } from "./Button";
import { closeOnLeft, leaveToList } from "./escape";
import { focusAll } from "./focusAll";
import { useReturnFocus } from "./returnFocus";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons at the end, the main one last. */
  footer?: ReactNode;
  className?: string;
}

/** A dialog over the page; on phones it slides in from below. */
export function Dialog({ open, onOpenChange, title, description, children, footer, className }: DialogProps) {
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="motion-fade fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={focusAll}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={leaveToList}
          onKeyDown={closeOnLeft(onOpenChange)}
          className={cn(
            "fixed z-50 flex flex-col bg-raised shadow-overlay outline-none",
            "max-sm:motion-rise max-sm:inset-x-0 max-sm:bottom-0 max-sm:max-h-[90dvh] max-sm:rounded-t-lg max-sm:pb-[env(safe-area-inset-bottom)]",
            "sm:motion-pop sm:top-[12vh] sm:left-1/2 sm:max-h-[76vh] sm:w-[min(520px,calc(100vw-32px))] sm:-translate-x-1/2 sm:rounded-lg",
            className,
          )}
        >
          <header className="flex items-start gap-2 px-4 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lead font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close" className="-mt-1 -mr-1 pointer-coarse:-mt-2.5 pointer-coarse:-mr-2.5">
                <X />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-1 pb-4">{children}</div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-4 py-3 max-sm:*:flex-1">{footer}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
