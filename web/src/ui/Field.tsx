import { cloneElement, type ReactElement, type ReactNode, useId } from "react";

interface Control {
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

interface Props {
  label: ReactNode;
  hint?: ReactNode;
  error?: string;
  /** The input, which receives its id and descriptions. */
  children: ReactElement<Control>;
  className?: string;
}

/** A labelled input. The error line is always present, so that nothing moves under a click. */
export function Field({ label, hint, error, children, className }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-small font-medium">
        {label}
      </label>
      {cloneElement(children, { id, "aria-describedby": `${id}-note`, "aria-invalid": error ? true : undefined })}
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={`mt-1 min-h-6 pb-2 text-small ${error ? "text-bad-text" : "text-muted"}`}
      >
        {error ?? hint}
      </p>
    </div>
  );
}
