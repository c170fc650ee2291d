import { cn } from "../lib/cn";

/** The initials of a name; the name itself is read out, unless it is beside it (decorative). */
export function Avatar({ name, decorative, className }: { name: string; decorative?: boolean; className?: string }) {
  return (
    <span
      {...(decorative ? { "aria-hidden": true } : { role: "img", "aria-label": name })}
      title={name}
      className={cn(
        "inline-flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-bg text-meta font-semibold text-accent-text uppercase",
        className,
      )}
    >
      {initials(name)}
    </span>
  );
}

export function initials(name: string): string {
  const words =
    name
      .split("@")[0]
      ?.split(/[\s._-]+/)
      .filter(Boolean) ?? [];
  const [first = "?", last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return last ? `${[...first][0]}${[...last][0]}` : [...first].slice(0, 2).join("");
}
