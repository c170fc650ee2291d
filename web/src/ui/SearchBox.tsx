import { useState } from "react";
import { cn } from "../lib/cn";
import { Input } from "./Input";

/** A text search of a list. Applied on Enter, or when the box loses focus. */
export function SearchBox({ q, label, onSearch }: { q: string; label: string; onSearch: (q: string) => void }) {
  const [text, setText] = useState(q);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
      className="max-sm:col-span-2 max-sm:flex-1"
    >
      <Input
        type="search"
        aria-label={label}
        placeholder={`${label}…`}
        value={text}
        onChange={(e) => setText(e.target.value)}
        onBlur={() => text.trim() !== q && onSearch(text.trim())}
        className={cn("w-48 max-sm:w-full", q && "border-accent text-accent-text")}
      />
    </form>
  );
}
