import { ListFilter, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "./Button";
import { Select, type SelectOption } from "./Select";

export interface Filter {
  /** The name in the URL. */
  key: string;
  label: string;
  /** The label of no selection, such as "All workflows". */
  any: string;
  options: SelectOption[];
}

/** The filters of a list: one select per dimension. A selected value that is not offered stays available. */
export function FilterBar(props: {
  filters: Filter[];
  chosen: Record<string, string | undefined>;
  onChange: (key: string, value: string | undefined) => void;
  onClear: () => void;
  children?: ReactNode;
}) {
  const { filters, chosen, onChange, onClear, children } = props;
  const count = filters.filter((f) => chosen[f.key]).length;
  const [open, setOpen] = useState(false);
  return (
    <search
      aria-label="Filters"
      className={`mb-3 flex flex-wrap items-center gap-2 ${open ? "max-sm:grid max-sm:grid-cols-2" : ""}`}
    >
      {/* On phones they are folded: the list matters more. */}
      <Button className="col-start-1 mr-auto sm:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ListFilter aria-hidden />
        {count > 0 ? `Filters (${count})` : "Filters"}
      </Button>
      {filters.map((filter) => {
        const value = chosen[filter.key] ?? "";
        const known = value === "" || filter.options.some((o) => o.value === value);
        return (
          <Select
            key={filter.key}
            label={filter.label}
            className={`max-w-56 max-sm:order-2 max-sm:max-w-none ${open ? "" : "max-sm:hidden"} ${value ? "border-accent bg-accent-bg text-accent-text" : ""}`}
            value={value}
            onValueChange={(next) => onChange(filter.key, next || undefined)}
            options={[{ value: "", label: filter.any }, ...filter.options, ...(known ? [] : [{ value, label: value }])]}
          />
        );
      })}
      {count > 0 && (
        <Button look="ghost" className="max-sm:order-1 max-sm:ml-auto" onClick={onClear}>
          <X aria-hidden />
          Clear
        </Button>
      )}
      {children}
    </search>
  );
}
