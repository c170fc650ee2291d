import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { cn } from "../lib/cn";
import { Input } from "../ui/Input";
import { Visible } from "../ui/Visible";
import type { Source } from "./model/catalog";
import { type Completion, completionsOf, wordAt } from "./model/source";

/** A path or a condition, with completion of what can be referred to. */
export function Expression(props: {
  id?: string;
  label?: string;
  value: string;
  sources: readonly Source[];
  words?: readonly Completion[];
  placeholder?: string;
  disabled?: boolean;
  onChange: (value: string) => void;
  onFocus?: () => void;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}) {
  const { label, value, sources, words, onChange, onFocus, ...rest } = props;
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  const [at, setAt] = useState(0);
  const { from, word } = wordAt(value, caret ?? 0);
  // An empty field offers everything only on request: with the arrow keys.
  const [asked, setAsked] = useState(false);
  const offers = caret !== undefined && (word || asked) ? completionsOf(word, sources, words) : [];
  const open = offers.length > 0;
  // At the end of a panel or dialog, the list would be cut off.
  const offered = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) offered.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const close = () => {
    setCaret(undefined);
    setAsked(false);
  };
  const take = (offer: Completion) => {
    const next = value.slice(0, from) + offer.text + value.slice(from + word.length);
    onChange(next);
    close();
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!open) {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        setAsked(true);
        setAt(0);
        setCaret(event.currentTarget.selectionStart ?? value.length);
      }
      return;
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((at + (event.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const offer = offers[at];
      if (offer) take(offer);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  return (
    <span className="relative block min-w-0 flex-1">
      <Input
        {...rest}
        ref={input}
        role="combobox"
        aria-label={label}
        aria-expanded={open}
        data-escape={open || undefined}
        aria-controls={open ? list : undefined}
        aria-autocomplete="list"
        aria-activedescendant={open ? `${list}-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onFocus={onFocus}
        onBlur={close}
        onKeyDown={onKeyDown}
        onChange={(e) => {
          setCaret(e.target.selectionStart ?? e.target.value.length);
          setAt(0);
          onChange(e.target.value);
        }}
        className="font-mono text-small"
      />
      {open && (
        <div
          ref={offered}
          id={list}
          role="listbox"
          aria-label="Suggestions"
          className="absolute inset-x-0 top-full z-20 mt-1 max-h-64 overflow-y-auto rounded-md bg-raised p-1 shadow-overlay"
        >
          {offers.map((offer, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
            <div
              key={offer.text}
              id={`${list}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              // The field keeps the focus.
              onPointerDown={(e) => e.preventDefault()}
              onClick={() => take(offer)}
              className={cn(
                "flex min-h-8 cursor-pointer items-center gap-2 rounded-sm px-2 text-control",
                i === at && "bg-hover",
              )}
            >
              <code className="min-w-0 flex-1 break-all">
                <Visible text={offer.text} />
              </code>
              <span className="text-meta text-muted">{offer.hint}</span>
            </div>
          ))}
        </div>
      )}
    </span>
  );
}
