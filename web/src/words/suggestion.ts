import { title } from "./format";

/** "agent:page_finder" → "Agent Page finder", "send_mail" → "Tool Send mail" */
export function called(tool: string): string {
  const [, kind, name] = /^(agent|workflow|mcp):(.+)$/.exec(tool) ?? [];
  if (!kind || !name) return `Tool ${title(tool)}`;
  if (kind !== "mcp") return `${title(kind)} ${title(name)}`;
  const [server = "", own = ""] = name.split("/");
  return `Tool ${title(own)} of ${title(server)}`;
}

/** A reason for a suggested step as a sentence, with the names in it as they are shown. */
export function reasonText(reason: string): string {
  const text = reason.replaceAll(/\b(agent|workflow|mcp):[\w./-]*\w/g, called);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
