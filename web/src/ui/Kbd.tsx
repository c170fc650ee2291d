const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);

const names: Record<string, string> = {
  mod: mac ? "⌘" : "Ctrl",
  enter: "↵",
  escape: "Esc",
  shift: "⇧",
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
  space: "Space",
  home: "Home",
  end: "End",
};

/** Keys to press: "mod+k", "j", "g i" (a sequence). Hidden on touch screens. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5 pointer-coarse:hidden">
      {keys.split(/[ +]/).map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-[4px] border bg-sunken px-1 font-sans text-meta text-muted"
        >
          {names[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key)}
        </kbd>
      ))}
    </span>
  );
}
