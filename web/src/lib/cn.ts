import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

// Our own text sizes have to be known, or "text-muted" would push them out.
const merge = extendTailwindMerge({
  extend: { theme: { text: ["meta", "small", "control", "body", "lead", "heading", "number"] } },
});

/** Joins class names; later ones win. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
