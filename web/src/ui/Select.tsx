import { getNonce } from "get-nonce";
import { Check, ChevronDown } from "lucide-react";
import { Select as Radix } from "radix-ui";
import { cn } from "../lib/cn";

export interface SelectOption {
  value: string;
  label: string;
  hint?: string;
}

interface Props {
  id?: string;
  value: string;
  onValueChange: (value: string) => void;
  options: SelectOption[];
  /** Read out; needed without a labelling Field. */
  label?: string;
  placeholder?: string;
  disabled?: boolean;
  className?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

// Radix does not accept an empty value, but "any" is an empty filter.
const none = "\u0000";

/** A choice of one among a few. */
export function Select({ value, onValueChange, options, label, placeholder, className, ...rest }: Props) {
  return (
    <Radix.Root
      value={value === "" ? none : value}
      onValueChange={(v) => onValueChange(v === none ? "" : v)}
      disabled={rest.disabled}
    >
      <Radix.Trigger
        id={rest.id}
        aria-label={label}
        aria-describedby={rest["aria-describedby"]}
        aria-invalid={rest["aria-invalid"]}
        className={cn(
          "inline-flex h-(--tap) min-w-28 items-center justify-between gap-2 rounded-sm border border-border-strong bg-surface px-2.5 text-control hover:bg-hover disabled:opacity-55 aria-invalid:border-danger",
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value placeholder={placeholder} />
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="motion-pop z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-(--radix-select-content-available-width) overflow-hidden rounded-md bg-raised shadow-overlay"
        >
          <Radix.Viewport nonce={getNonce()} className="p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value === "" ? none : option.value}
                className="flex min-h-(--tap) items-center gap-2 rounded-sm px-2 text-control outline-none data-highlighted:bg-hover"
              >
                <span className="min-w-0 flex-1 break-words">
                  <Radix.ItemText>{option.label}</Radix.ItemText>
                  {option.hint && <span className="block text-meta text-muted">{option.hint}</span>}
                </span>
                <Radix.ItemIndicator>
                  <Check aria-hidden className="size-4 text-accent-text" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
