import { useEffect, useState } from "react";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Textarea } from "../ui/Textarea";

/** A text of the workflow. Each keystroke is an edit; those of one field in a row are undone together. */
export function TextField(props: {
  label: string;
  hint?: string;
  error?: string;
  value: string;
  placeholder?: string;
  disabled?: boolean;
  /** Suggestions. */
  list?: string;
  long?: boolean;
  /** Applied when the field is left, such as a name that others refer to. */
  late?: boolean;
  mono?: boolean;
  onChange: (value: string) => void;
  className?: string;
}) {
  const { label, hint, error, value, onChange, late, long, mono, className, ...rest } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const shared = {
    ...rest,
    value: late ? text : value,
    autoComplete: "off",
    spellCheck: !mono,
    className: mono ? "font-mono text-small" : undefined,
  };
  const change = (next: string) => {
    setText(next);
    if (!late) onChange(next);
  };
  const leave = () => late && text !== value && onChange(text);
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {long ? (
        <Textarea
          {...shared}
          rows={Math.min(12, Math.max(2, shared.value.split("\n").length))}
          onChange={(e) => change(e.target.value)}
          onBlur={leave}
        />
      ) : (
        <Input
          {...shared}
          onChange={(e) => change(e.target.value)}
          onBlur={leave}
          onKeyDown={(e) => e.key === "Enter" && leave()}
        />
      )}
    </Field>
  );
}
