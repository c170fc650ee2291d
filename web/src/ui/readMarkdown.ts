// A small Markdown parser that returns data, never HTML: anything that looks like HTML stays text. It supports what
// agents write in reports; the rest stays as written.

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; host: string; children: Inline[] };

export type Block =
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; text: string; language: string }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Block[][] }
  | { kind: "table"; head: Inline[][]; align: ("left" | "right" | "center")[]; rows: Inline[][][] }
  | { kind: "rule" };

const depthMax = 8;

export function readMarkdown(text: string): Block[] {
  return blocks(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0);
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const heading = /^ {0,3}(#{1,6})(?:\s+(.*))?$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)/;
const divider = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

function blocks(lines: string[], depth: number): Block[] {
  const out: Block[] = [];
  let i = 0;
  const line = () => lines[i] ?? "";
  while (i < lines.length) {
    const opened = fence.exec(line());
    const head = heading.exec(line());
    if (line().trim() === "") {
      i++;
    } else if (opened) {
      const [, marks = "", language = ""] = opened;
      const body: string[] = [];
      i++;
      while (i < lines.length && !closes(line(), marks)) body.push(lines[i++] ?? "");
      i++;
      out.push({ kind: "code", text: body.join("\n"), language });
    } else if (head) {
      const words = (head[2] ?? "").replace(/[ \t]#+[ \t]*$/, "");
      out.push({ kind: "heading", level: head[1]?.length ?? 1, children: readInline(words) });
      i++;
    } else if (rule.test(line())) {
      out.push({ kind: "rule" });
      i++;
    } else if (/^ {0,3}>/.test(line()) && depth < depthMax) {
      const inner: string[] = [];
      while (i < lines.length && /^ {0,3}>/.test(line())) inner.push((lines[i++] ?? "").replace(/^ {0,3}> ?/, ""));
      out.push({ kind: "quote", children: blocks(inner, depth + 1) });
    } else if (bullet.test(line()) && depth < depthMax) {
      const [list, next] = readList(lines, i, depth);
      out.push(list);
      i = next;
    } else if (line().includes("|") && divides(lines[i + 1])) {
      const [table, next] = readTable(lines, i);
      out.push(table);
      i = next;
    } else {
      const words: string[] = [];
      do words.push((lines[i++] ?? "").trim());
      while (i < lines.length && !interrupts(lines, i));
      out.push({ kind: "paragraph", children: readInline(words.join("\n")) });
    }
  }
  return out;
}

function divides(line = ""): boolean {
  return line.length < reach && divider.test(line.trim());
}

function closes(line: string, marks: string): boolean {
  const text = line.trim();
  return text.length >= marks.length && text === (marks[0] ?? "`").repeat(text.length);
}

function interrupts(lines: string[], i: number): boolean {
  const line = lines[i] ?? "";
  return (
    line.trim() === "" ||
    fence.test(line) ||
    heading.test(line) ||
    rule.test(line) ||
    /^ {0,3}>/.test(line) ||
    bullet.test(line) ||
    (line.includes("|") && divides(lines[i + 1]))
  );
}

function readList(lines: string[], from: number, depth: number): [Block, number] {
  const first = bullet.exec(lines[from] ?? "");
  const ordered = /\d/.test(first?.[2] ?? "");
  const items: Block[][] = [];
  let i = from;
  while (i < lines.length) {
    const found = bullet.exec(lines[i] ?? "");
    if (!found || /\d/.test(found[2] ?? "") !== ordered || rule.test(lines[i] ?? "")) break;
    const width = (found[1]?.length ?? 0) + (found[2]?.length ?? 1) + 1;
    const inner = [found[3] ?? ""];
    i++;
    while (i < lines.length) {
      const line = lines[i] ?? "";
      const indented = /^\s/.test(line) && line.search(/\S/) >= Math.min(width, 2);
      if (line.trim() === "" ? /^\s{2,}\S/.test(lines[i + 1] ?? "") : indented) {
        inner.push(line.replace(new RegExp(`^[ \\t]{1,${width}}`), ""));
        i++;
      } else if (line.trim() !== "" && !interrupts(lines, i)) {
        inner.push(line.trim());
        i++;
      } else break;
    }
    items.push(blocks(inner, depth + 1));
    if ((lines[i] ?? "").trim() === "" && bullet.test(lines[i + 1] ?? "")) i++;
  }
  return [{ kind: "list", ordered, start: Number.parseInt(first?.[2] ?? "1", 10) || 1, items }, i];
}

function readTable(lines: string[], from: number): [Block, number] {
  const head = cells(lines[from] ?? "");
  const align = cells(lines[from + 1] ?? "").map((c) =>
    c.endsWith(":") ? (c.startsWith(":") ? "center" : "right") : ("left" as const),
  );
  const rows: Inline[][][] = [];
  let i = from + 2;
  while (i < lines.length && (lines[i] ?? "").includes("|")) {
    const row = cells(lines[i++] ?? "");
    rows.push(head.map((_, n) => readInline(row[n] ?? "")));
  }
  return [{ kind: "table", head: head.map(readInline), align, rows }, i];
}

function cells(line: string): string[] {
  const text = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(^|[^\\])\|$/, "$1");
  return text.split(/(?<!\\)\|/).map((c) => c.trim().replaceAll("\\|", "|"));
}

const spans: ["strong" | "em" | "del", string][] = [
  ["strong", "**"],
  ["strong", "__"],
  ["del", "~~"],
  ["em", "*"],
  ["em", "_"],
];

// How far to search for the end of a span or link: text with many unclosed ones must not take long.
const reach = 4000;

function find(text: string, what: string, from: number): number {
  const at = text.slice(from, from + reach).indexOf(what);
  return at < 0 ? -1 : from + at;
}

export function readInline(text: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  let plain = "";
  const flush = () => {
    if (plain) out.push({ kind: "text", text: plain });
    plain = "";
  };
  const put = (inline: Inline) => {
    flush();
    out.push(inline);
  };
  for (let i = 0; i < text.length; ) {
    const found = spanAt(text, i, depth) ?? linkAt(text, i, depth);
    if (found) {
      put(found.inline);
      i = found.end;
    } else if (text[i] === "\\" && /[!-/:-@[-`{-~]/.test(text[i + 1] ?? "")) {
      plain += text[i + 1];
      i += 2;
    } else {
      plain += text[i++];
    }
  }
  flush();
  return out;
}

interface Found {
  inline: Inline;
  end: number;
}

function spanAt(text: string, i: number, depth: number): Found | undefined {
  const c = text[i];
  if (c === "`") {
    let marks = 1;
    while (text[i + marks] === "`") marks++;
    const end = find(text, "`".repeat(marks), i + marks);
    if (end < 0) return undefined;
    return { inline: { kind: "code", text: text.slice(i + marks, end).trim() }, end: end + marks };
  }
  if ((c !== "*" && c !== "_" && c !== "~") || depth >= depthMax) return undefined;
  for (const [kind, marks] of spans) {
    if (!text.startsWith(marks, i)) continue;
    // snake_case words are not emphasis
    if (c === "_" && /\w/.test(text[i - 1] ?? "")) continue;
    const from = i + marks.length;
    const end = find(text, marks, from);
    if (end <= from || /\s/.test(text[from] ?? " ") || /\s/.test(text[end - 1] ?? " ")) continue;
    if (c === "_" && /\w/.test(text[end + marks.length] ?? "")) continue;
    return { inline: { kind, children: readInline(text.slice(from, end), depth + 1) }, end: end + marks.length };
  }
  return undefined;
}

const bare = /^https?:\/\/[^\s<>"'`]{1,2000}/;

function linkAt(text: string, i: number, depth: number): Found | undefined {
  if (text[i] === "h" || text[i] === "<") {
    const from = text[i] === "<" ? i + 1 : i;
    const address = bare.exec(text.slice(from, from + 2100))?.[0].replace(/[.,;:!?)\]]+$/, "");
    const link = address && linkTo(address);
    if (!link || (text[i] === "<" && text[from + address.length] !== ">")) return undefined;
    const end = from + address.length + (text[i] === "<" ? 1 : 0);
    return { inline: { ...link, children: [{ kind: "text", text: address }] }, end };
  }
  // Images on other hosts are not loaded; they become links.
  const from = text[i] === "!" && text[i + 1] === "[" ? i + 1 : i;
  if (text[from] !== "[" || depth >= depthMax) return undefined;
  const middle = find(text, "](", from);
  const end = middle < 0 ? -1 : find(text, ")", middle);
  if (end < 0 || text.slice(from + 1, middle).includes("\n\n")) return undefined;
  const words = text.slice(from + 1, middle);
  const address =
    text
      .slice(middle + 2, end)
      .trim()
      .split(/\s/)[0] ?? "";
  const link = linkTo(address);
  if (!link) return undefined;
  return { inline: { ...link, children: readInline(words || address, depth + 1) }, end: end + 1 };
}

/** A link to another site; undefined for anything but a web URL, such as javascript:. */
export function linkTo(address: string): { kind: "link"; href: string; host: string } | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  try {
    const url = new URL(address);
    return { kind: "link", href: url.href, host: url.host };
  } catch {
    return undefined;
  }
}
