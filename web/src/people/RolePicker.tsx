import { useId, useState } from "react";
import { useRoles } from "../api/access";
import { Button, Checkbox, Input } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** Roles to choose from: those in force, and any other name. */
export function RolePicker({ value, onChange }: { value: string[]; onChange: (roles: string[]) => void }) {
  const { data } = useRoles();
  const [other, setOther] = useState("");
  const known = data?.items.filter((role) => !role.withdrawn) ?? [];
  const withdrawn = data?.items.filter((role) => role.withdrawn).map((role) => role.name) ?? [];
  // Which names are only names is known once the roles are.
  const more = (data ? value : []).filter((name) => !known.some((role) => role.name === name));
  const toggle = (name: string, on: boolean) => onChange(on ? [...value, name] : value.filter((one) => one !== name));
  const add = () => {
    const name = other.trim();
    if (name && !value.includes(name)) onChange([...value, name]);
    setOther("");
  };
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 text-small font-medium">Roles</legend>
      <div className="space-y-1.5">
        {known.map((role) => (
          <One
            key={role.name}
            name={role.name}
            hint={role.description}
            checked={value.includes(role.name)}
            onChange={(on) => toggle(role.name, on)}
          />
        ))}
        {more.map((name) => (
          <One
            key={name}
            name={name}
            hint={
              withdrawn.includes(name)
                ? "Withdrawn: it grants nothing"
                : "Only a name: decides the approvals that ask for it"
            }
            checked
            onChange={() => toggle(name, false)}
          />
        ))}
      </div>
      <div className="mt-2 flex gap-2">
        <Input
          aria-label="Another role"
          placeholder="Another role, such as finance"
          value={other}
          onChange={(e) => setOther(e.target.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter") return;
            e.preventDefault();
            add();
          }}
        />
        <Button disabled={other.trim() === ""} onClick={add}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}

function One(props: { name: string; hint: string; checked: boolean; onChange: (on: boolean) => void }) {
  const id = useId();
  return (
    <div className="flex min-h-7 items-start gap-2 pointer-coarse:min-h-11">
      <Checkbox id={id} checked={props.checked} onCheckedChange={props.onChange} className="mt-0.5" />
      <label htmlFor={id} className="min-w-0">
        <Visible text={format.title(props.name)} />
        {props.hint && (
          <span className="block text-small text-muted">
            <Visible text={props.hint} />
          </span>
        )}
      </label>
    </div>
  );
}

/** Roles as badges in a line. */
export function roleText(roles: string[]): string {
  return roles.length > 0 ? roles.map(format.title).join(", ") : "No roles";
}
