import type { ComponentProps } from "react";
import { cn } from "../lib/cn";

export const inputLook =
  "w-full min-w-0 rounded-sm border border-border-strong bg-surface px-2.5 text-control placeholder:text-muted disabled:opacity-55 read-only:bg-sunken aria-invalid:border-danger max-sm:text-[16px]";

export function Input({ className, ...rest }: ComponentProps<"input">) {
  return <input className={cn(inputLook, "h-(--tap)", className)} {...rest} />;
}
