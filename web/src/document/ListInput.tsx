import { useState } from "react";
import { Input } from "../ui";
import { listOf } from "./text";

interface Props {
  value: string[];
  onChange: (list: string[]) => void;
  id?: string;
}

/** A list as one line. The text stays as it is typed. */
export function ListInput({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState(value.join(", "));
  return (
    <Input
      {...rest}
      value={listOf(typed).join() === value.join() ? typed : value.join(", ")}
      autoComplete="off"
      onChange={(e) => {
        setTyped(e.target.value);
        onChange(listOf(e.target.value));
      }}
    />
  );
}
