import { BookOpen, Braces, ChartColumn, Code, File, FileText, Image, type LucideIcon, Mail, Sheet } from "lucide-react";
import { title } from "./format";
import type { Tone, Word } from "./tone";

// Agents may use any type and status, so these cover the common ones and make the others readable.

export const types: Record<string, { label: string; icon: LucideIcon }> = {
  document: { label: "Document", icon: FileText },
  report: { label: "Report", icon: BookOpen },
  text: { label: "Text", icon: FileText },
  markdown: { label: "Document", icon: FileText },
  code: { label: "Code", icon: Code },
  json: { label: "Data", icon: Braces },
  data: { label: "Data", icon: Braces },
  csv: { label: "Table", icon: Sheet },
  spreadsheet: { label: "Table", icon: Sheet },
  image: { label: "Picture", icon: Image },
  media: { label: "Media", icon: Image },
  other: { label: "Other", icon: File },
  chart: { label: "Chart", icon: ChartColumn },
  email: { label: "E-mail", icon: Mail },
};

export const statuses: Record<string, { label: string; sentence: string; tone: Tone }> = {
  draft: { label: "Draft", sentence: "Not final yet.", tone: "neutral" },
  review: { label: "In review", sentence: "Needs review.", tone: "warn" },
  final: { label: "Final", sentence: "Finished.", tone: "ok" },
  approved: { label: "Approved", sentence: "Approved by a reviewer.", tone: "ok" },
  rejected: { label: "Rejected", sentence: "Rejected by a reviewer.", tone: "bad" },
  archived: { label: "Archived", sentence: "No longer in use.", tone: "neutral" },
};

export function deliverableType(type: string): { label: string; icon: LucideIcon } {
  return types[type] ?? { label: title(type) || "File", icon: File };
}

export function deliverableStatus(status: string): Word {
  const known = statuses[status] ?? { label: title(status) || "No status", sentence: "", tone: "neutral" as const };
  return { ...known, icon: File };
}
