import { useId } from "react";
import { Checkbox } from "./Checkbox";

/** A checkbox with its label. */
export function Ticked(props: {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  const { label, hint, checked, onChange, disabled } = props;
  const id = useId();
  return (
    <div className="flex min-h-7 items-start gap-2 py-0.5 pointer-coarse:min-h-11 pointer-coarse:items-center">
      <Checkbox id={id} checked={checked} disabled={disabled} onCheckedChange={onChange} className="mt-0.5" />
      <label htmlFor={id} className="min-w-0">
        {label}
        {hint && <span className="block text-small text-muted">{hint}</span>}
      </label>
    </div>
  );
}
