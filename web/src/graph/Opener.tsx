import { ChevronDown } from "lucide-react";
import { cn } from "../lib/cn";

/** Shows and hides the contents of a step. */
export function Opener(props: { name: string; opened: boolean; onClick: () => void; className?: string }) {
  const { name, opened, onClick, className } = props;
  return (
    <button
      type="button"
      aria-expanded={opened}
      aria-label={`What is in ${name}`}
      title={opened ? "Hide what is in it" : "Show what is in it"}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
      className={cn(
        "more nodrag reach flex size-6 shrink-0 items-center justify-center rounded-sm hover:bg-hover",
        className,
      )}
    >
      <ChevronDown aria-hidden className={cn("size-4 text-muted transition-transform", opened && "rotate-180")} />
    </button>
  );
}
