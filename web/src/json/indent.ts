/** JSON over several lines, like pretty(treeOf(text)) but without a tree: for megabytes, in a worker. */
export function indented(text: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; ) {
    const c = text[at] as string;
    const next = at + 1;
    if (c === '"') {
      const end = endOfString(text, at);
      out.push(text.slice(at, end));
      at = end;
    } else if (c === "{" || c === "[") {
      const close = endOfSpace(text, next);
      if (text[close] === "}" || text[close] === "]") {
        out.push(c + text[close]);
        at = close + 1;
      } else {
        depth++;
        out.push(c, line());
        at = close;
      }
    } else if (c === "}" || c === "]") {
      depth--;
      out.push(line(), c);
      at = next;
    } else if (c === ",") {
      out.push(c, line());
      at = next;
    } else if (c === ":") {
      out.push(": ");
      at = next;
    } else if (isSpace(c)) {
      at = endOfSpace(text, next);
    } else {
      const end = endOfScalar(text, at);
      out.push(text.slice(at, end));
      at = end;
    }
  }
  return out.join("");
}

function isSpace(c: string | undefined): boolean {
  return c === " " || c === "\n" || c === "\t" || c === "\r";
}

function endOfSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text[end])) end++;
  return end;
}

function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}

function endOfScalar(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && !/[\s,\]}]/.test(text[end] as string)) end++;
  return end;
}
