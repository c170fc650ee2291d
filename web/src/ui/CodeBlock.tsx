import { type ReactNode, useState } from "react";
import { cn } from "../lib/cn";
import { format } from "../words";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { marked } from "./Visible";

const linesShown = 40;

/**
 * Text as it is, with a copy button; what cannot be seen in it is marked. Long text is folded, visibly. children may be
 * the same text with colours.
 */
export function CodeBlock({
  text,
  children,
  className,
  wrap = true,
}: {
  text: string;
  children?: ReactNode;
  className?: string;
  wrap?: boolean;
}) {
  const lines = text.split("\n").length;
  const [all, setAll] = useState(false);
  const folded = !all && lines > linesShown + 5;
  return (
    <div className={cn("relative rounded-sm border bg-sunken", className)}>
      <div className="absolute top-1 right-1 z-10">
        <CopyButton text={text} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className={cn(
          "overflow-auto p-3 pr-10 leading-[18px]",
          wrap && "break-words whitespace-pre-wrap",
          folded && "max-h-180 overflow-hidden",
        )}
      >
        {children ?? marked(text)}
      </pre>
      {lines > linesShown + 5 && (
        <div className="border-t p-1">
          <Button look="ghost" size="small" onClick={() => setAll(!all)}>
            {all ? "Show less" : `Show all ${format.count(lines)} lines`}
          </Button>
        </div>
      )}
    </div>
  );
}
