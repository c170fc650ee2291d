import { Check, Minus } from "lucide-react";
import { Checkbox as Radix } from "radix-ui";
import { cn } from "../lib/cn";

interface Props {
  id?: string;
  checked: boolean | "indeterminate";
  onCheckedChange: (checked: boolean) => void;
  /** Read out; needed where no label element names it. */
  label?: string;
  disabled?: boolean;
  className?: string;
}

export function Checkbox({ checked, onCheckedChange, label, className, ...rest }: Props) {
  return (
    <Radix.Root
      {...rest}
      checked={checked}
      onCheckedChange={(v) => onCheckedChange(v === true)}
      aria-label={label}
      className={cn(
        // The box is small, what can be hit is not.
        "relative inline-flex size-4 shrink-0 items-center justify-center rounded-[4px] border border-border-strong bg-surface after:absolute after:-inset-2 pointer-coarse:after:-inset-3.75",
        "disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent",
        className,
      )}
    >
      <Radix.Indicator className="text-on-accent">
        {checked === "indeterminate" ? (
          <Minus aria-hidden className="size-3" />
        ) : (
          <Check aria-hidden className="size-3" strokeWidth={3} />
        )}
      </Radix.Indicator>
    </Radix.Root>
  );
}
