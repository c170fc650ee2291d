import { Check, Minus } from "lucide-react";
import { cn } from "../lib/cn";

interface Props {
  id?: string;
  checked: boolean | "indeterminate";
  onCheckedChange: (checked: boolean) => void;
  /** Read out; needed without a label element. */
  label?: string;
  disabled?: boolean;
  className?: string;
}

export function Checkbox({ checked, onCheckedChange, label, className, ...rest }: Props) {
  const mixed = checked === "indeterminate";
  return (
    <button
      type="button"
      role="checkbox"
      {...rest}
      aria-checked={mixed ? "mixed" : checked}
      aria-label={label}
      onClick={() => onCheckedChange(checked !== true)}
      // Space ticks a box; Enter belongs to its surroundings.
      onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      className={cn(
        // The box is small, its hit area is not.
        "relative inline-flex size-4 shrink-0 items-center justify-center rounded-[4px] border border-border-strong bg-surface after:absolute after:-inset-2 pointer-coarse:after:-inset-3.75",
        "disabled:opacity-50",
        checked && "border-accent bg-accent text-on-accent",
        className,
      )}
    >
      {mixed ? (
        <Minus aria-hidden className="size-3" />
      ) : (
        checked && <Check aria-hidden className="size-3" strokeWidth={3} />
      )}
    </button>
  );
}
