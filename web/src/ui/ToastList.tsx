import { CircleCheck, CircleX, Info, X } from "lucide-react";
import { Toast as Radix } from "radix-ui";
import { cn } from "../lib/cn";
import { IconButton } from "./Button";
import { dismiss, type Shown } from "./Toasts";

const icons = { ok: CircleCheck, bad: CircleX, info: Info };
const colours = { ok: "text-ok-text", bad: "text-bad-text", info: "text-info-text" };

/** The toasts of the moment. */
export default function ToastList({ list }: { list: readonly Shown[] }) {
  return (
    <Radix.Provider swipeDirection="down" label="Notices">
      {list.map((t) => {
        const tone = t.tone ?? "info";
        const Icon = icons[tone];
        return (
          <Radix.Root
            key={t.id}
            duration={t.ms ?? (tone === "bad" ? 10_000 : 5000)}
            type={tone === "bad" ? "foreground" : "background"}
            onOpenChange={(open) => !open && dismiss(t.id)}
            className="motion-rise flex items-start gap-3 rounded-md bg-raised p-3 shadow-overlay"
          >
            <Icon aria-hidden className={cn("mt-0.5 size-4 shrink-0", colours[tone])} />
            <div className="min-w-0 flex-1">
              <Radix.Title className="font-medium">{t.title}</Radix.Title>
              {t.detail && <Radix.Description className="text-small text-muted">{t.detail}</Radix.Description>}
            </div>
            {t.action && (
              <Radix.Action
                altText={t.action.label}
                onClick={t.action.onSelect}
                className="reach h-7 rounded-sm px-2 text-control font-medium text-accent-text hover:bg-hover"
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
      <Radix.Viewport className="fixed right-4 bottom-20 z-[60] flex w-[min(380px,calc(100vw-32px))] flex-col gap-2 outline-none max-sm:right-4 max-sm:bottom-[calc(140px+env(safe-area-inset-bottom))]" />
    </Radix.Provider>
  );
}
