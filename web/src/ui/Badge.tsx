import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "../lib/cn";
import type { Tone } from "../words";

const base =
  "inline-flex h-5 max-w-full shrink-0 items-center gap-1 rounded-full px-2 text-meta font-medium whitespace-nowrap";

/** The colours of each tone, text on background. */
export const tones: Record<Tone, string> = {
  neutral: "bg-neutral-bg text-neutral-text",
  accent: "bg-accent-bg text-accent-text",
  ok: "bg-ok-bg text-ok-text",
  warn: "bg-warn-bg text-warn-text",
  bad: "bg-bad-bg text-bad-text",
  info: "bg-info-bg text-info-text",
};

/** A short, coloured label. */
export function Badge(props: {
  tone?: Tone;
  icon?: LucideIcon;
  title?: string;
  className?: string;
  children: ReactNode;
}) {
  const { tone = "neutral", icon: Icon, title, className, children } = props;
  return (
    <span className={cn(base, tones[tone], className)} title={title}>
      {Icon && <Icon aria-hidden className="size-3 shrink-0" />}
      <span className="truncate">{children}</span>
    </span>
  );
}
