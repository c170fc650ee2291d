import { useEffect, useRef, useState } from "react";
import { pretty, raw, treeOf } from "../../json";
import { Field } from "../../ui/Field";
import { Textarea } from "../../ui/Textarea";
import { Visible } from "../../ui/Visible";
import { pointerOf } from "../edit";
import { labelOf } from "../schema";
import type { FieldProps } from "./field";
import { unseenHint } from "./UnseenHint";

/** A value that no form supports (one of several shapes, or null): as JSON. */
export function JsonField({ context, path, name, schema, value, required }: FieldProps) {
  const shown = value ? pretty(value) : "";
  const [typed, setTyped] = useState<string>();
  const [wrong, setWrong] = useState<string>();
  const pointer = pointerOf(path);
  const told = useRef(context.broken);
  useEffect(() => {
    told.current = context.broken;
  });
  useEffect(() => {
    told.current(pointer, wrong);
    return () => told.current(pointer, undefined);
  }, [pointer, wrong]);
  const change = (text: string) => {
    setTyped(text);
    if (text.trim() === "" && !required) {
      setWrong(undefined);
      context.set(path, undefined);
      return;
    }
    try {
      const tree = treeOf(raw(text));
      setWrong(undefined);
      context.set(path, tree);
    } catch {
      setWrong("Not valid JSON yet. Put text in quotes.");
    }
  };
  return (
    <Field
      label={<Visible text={`${labelOf(name, schema)} (JSON)`} />}
      hint={unseenHint(typed ?? shown, schema.description)}
      error={wrong ?? context.faults.get(pointer)}
    >
      <Textarea
        className="font-mono text-small"
        rows={2}
        disabled={context.disabled}
        value={typed ?? shown}
        onChange={(e) => change(e.target.value)}
        onBlur={() => !wrong && setTyped(undefined)}
      />
    </Field>
  );
}
