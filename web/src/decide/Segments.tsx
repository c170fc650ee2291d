import type { KeyboardEvent } from "react";

/** A few views of the same data, one of them selected; arrow keys move to the next. */
export function Segments<T extends string>(props: {
  label: string;
  options: { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}) {
  const { options, value, onChange } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = options.findIndex((option) => option.value === value) + step;
    const index = (at + options.length) % options.length;
    const next = options[index];
    if (next) onChange(next.value);
    event.currentTarget.querySelectorAll("button")[index]?.focus();
  };
  return (
    <div
      role="radiogroup"
      aria-label={props.label}
      onKeyDown={onKeyDown}
      className="inline-flex shrink-0 rounded-sm border bg-sunken p-0.5"
    >
      {options.map((option) => {
        const on = option.value === value;
        return (
          <button
            key={option.value}
            type="button"
            role="radio"
            aria-checked={on}
            data-state={on ? "on" : "off"}
            tabIndex={on ? 0 : -1}
            onClick={() => onChange(option.value)}
            className="h-6 rounded-[4px] px-2 text-small text-muted hover:text-text data-[state=on]:bg-surface data-[state=on]:font-medium data-[state=on]:text-text pointer-coarse:h-11 pointer-coarse:px-3"
          >
            {option.label}
          </button>
        );
      })}
    </div>
  );
}
