import { type ClassValue, clsx } from "clsx";
import { merge } from "./merge";

/** Joins class names; later ones win. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
