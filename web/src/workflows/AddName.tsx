import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/Button";
import { Input } from "../ui/Input";

/** A field and a button that add something by name. A name that onAdd refuses with false stays in the field. */
export function AddName(props: { label: string; placeholder: string; onAdd: (name: string) => unknown }) {
  const { label, placeholder, onAdd } = props;
  const [name, setName] = useState("");
  return (
    <form
      className="mt-2 flex gap-1"
      onSubmit={(e) => {
        e.preventDefault();
        if (name.trim() && onAdd(name.trim()) !== false) setName("");
      }}
    >
      <Input aria-label={label} placeholder={placeholder} value={name} onChange={(e) => setName(e.target.value)} />
      <Button type="submit" disabled={!name.trim()}>
        <Plus aria-hidden /> Add
      </Button>
    </form>
  );
}
