import type { Setting } from "../api/settings";
import { format } from "../words";

const groups: [name: string, settings: RegExp][] = [
  ["Server", /^(addr|public_url|trusted_proxies|data|db|engine|temporal|load|workers|rate_limit|drain|log_)/],
  ["Sign-in", /^(sign_in|session_|oidc_)/],
  ["Approvals", /^(confidence_threshold|default_role|gates_)/],
  ["Security", /^(allow_|references|mask_|encryption_|audit_)/],
  ["Retention", /^retain_/],
];

/** Settings by subject, in order; the last group has those that are in no other. */
export function bySubject(settings: Setting[]): { name: string; items: Setting[] }[] {
  const of = (one: Setting) => groups.find(([, names]) => names.test(one.name))?.[0] ?? "Other";
  return [...groups.map(([name]) => name), "Other"]
    .map((name) => ({ name, items: settings.filter((one) => of(one) === name) }))
    .filter(({ items }) => items.length > 0);
}

const whole: Record<string, string> = { addr: "Address", db: "Database", data: "Data directory", load: "Documents" };

/** The name of a setting in words. */
export function settingName(name: string): string {
  if (Object.hasOwn(whole, name)) return whole[name] ?? name;
  return format
    .title(name)
    .replace(/^Oidc\b/, "OIDC")
    .replace(/\burl\b/i, "URL")
    .replace(/\bid\b/, "ID");
}

/** The value of a setting in words: no time that is kept is "0s", and no hours have minutes of zero. */
export function settingValue({ name, value }: Setting): string {
  if (name.startsWith("retain_") && /^0s?$/.test(value)) return "Forever";
  if (value === "true" || value === "false") return value === "true" ? "Yes" : "No";
  return value.replace(/^(\d+h)0m0s$/, "$1").replace(/^(\d+h\d+m|\d+m)0s$/, "$1");
}

/** Whether a setting contains all these words, somewhere. */
export function matches(one: Setting, text: string): boolean {
  const where = `${one.name} ${settingName(one.name)} ${one.summary} ${one.value} ${one.env} ${one.flag}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}
