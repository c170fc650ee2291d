import type { ComponentProps } from "react";
import { cn } from "../lib/cn";
import { inputLook } from "./Input";

/** A multi-line field; grows with its text if the browser supports it. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      rows={rows}
      className={cn(inputLook, "field-sizing-content max-h-96 min-h-16 py-1.5 leading-5", className)}
      {...rest}
    />
  );
}
