import type { Deliverable } from "../api/types";

export type Kind = "markdown" | "csv" | "json" | "patch" | "text" | "image" | "none";

const byEnd: [RegExp, Kind][] = [
  [/\.(md|markdown)$/i, "markdown"],
  [/\.(csv|tsv)$/i, "csv"],
  [/\.json$/i, "json"],
  [/\.(patch|diff)$/i, "patch"],
];
const byType: Record<string, Kind> = {
  "text/markdown": "markdown",
  "text/csv": "csv",
  "text/tab-separated-values": "csv",
  "application/json": "json",
  "text/x-diff": "patch",
  "text/x-patch": "patch",
};

/** How a deliverable is shown. The server decides whether it may be shown at all: it has inspected the bytes. */
export function kindOf(item: Pick<Deliverable, "preview" | "mime_type" | "name">): Kind {
  if (item.preview === "image") return "image";
  if (item.preview !== "text") return "none";
  const mime = item.mime_type.split(";")[0]?.trim() ?? "";
  return byType[mime] ?? byEnd.find(([end]) => end.test(item.name))?.[1] ?? "text";
}
