import { CircleCheck, CircleX, Info, X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { cn } from "../lib/cn";
import { IconButton } from "./Button";
import { leaveToDialog } from "./escape";
import { Visible } from "./Visible";

export interface ToastOptions {
  title: string;
  detail?: string;
  tone?: "ok" | "bad" | "info";
  /** An action such as Undo. */
  action?: { label: string; onSelect: () => void };
  /** How long it stays; errors stay longer. Infinity: until it is dismissed. */
  ms?: number;
}

export interface Shown extends ToastOptions {
  id: number;
}

const icons = { ok: CircleCheck, bad: CircleX, info: Info };
const colours = { ok: "text-ok-text", bad: "text-bad-text", info: "text-info-text" };

/** The current toasts. */
export default function ToastList({ list, onClose }: { list: readonly Shown[]; onClose: (id: number) => void }) {
  return (
    <Radix.Provider swipeDirection="right" label="Notices">
      {list.map((t) => {
        const tone = t.tone ?? "info";
        const Icon = icons[tone];
        return (
          <Radix.Root
            key={t.id}
            duration={t.ms ?? (tone === "bad" ? 10_000 : 5000)}
            type={tone === "bad" ? "foreground" : "background"}
            onOpenChange={(open) => !open && onClose(t.id)}
            onEscapeKeyDown={leaveToDialog}
            className="motion-rise flex items-start gap-3 rounded-md bg-raised p-3 shadow-overlay max-sm:flex-wrap max-sm:gap-x-2"
          >
            <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", colours[tone])} />
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-medium break-words">
                <Visible text={t.title} />
              </Radix.Title>
              {t.detail && (
                <Radix.Description className="text-small break-words text-muted">
                  <Visible text={t.detail} />
                </Radix.Description>
              )}
            </div>
            {t.action && (
              <Radix.Action
                altText={t.action.label}
                onClick={t.action.onSelect}
                className="reach h-7 rounded-sm px-2 text-control font-medium text-accent-text hover:bg-hover max-sm:order-last max-sm:h-11 max-sm:w-full max-sm:bg-sunken"
              >
                {t.action.label}
              </Radix.Action>
            )}
            <Radix.Close asChild>
              <IconButton label="Close" className="reach -my-1 size-7">
                <X />
              </IconButton>
            </Radix.Close>
          </Radix.Root>
        );
      })}
      {/* On phones below the header: the bottom is taken by the answers, the tabs and thumbs. */}
      <Radix.Viewport className="fixed right-4 bottom-20 z-[60] flex w-[min(380px,calc(100vw-32px))] flex-col gap-2 outline-none max-sm:inset-x-3 max-sm:top-[calc(56px+env(safe-area-inset-top))] max-sm:bottom-auto max-sm:w-auto" />
    </Radix.Provider>
  );
}
