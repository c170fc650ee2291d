import { ToggleGroup } from "radix-ui";

/** A few ways to look at the same thing, one of them on. */
export function Segments<T extends string>(props: {
  label: string;
  options: { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={props.label}
      value={props.value}
      onValueChange={(value) => value && props.onChange(value as T)}
      className="inline-flex shrink-0 rounded-sm border bg-sunken p-0.5"
    >
      {props.options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          className="h-6 rounded-[4px] px-2 text-small text-muted hover:text-text data-[state=on]:bg-surface data-[state=on]:font-medium data-[state=on]:text-text pointer-coarse:h-11 pointer-coarse:px-3"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
