/** The rows of a table as text, at most max of them; more reports whether there were others. */
export function readCsv(text: string, max: number): { rows: string[][]; more: boolean } {
  const mark = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  let started = false; // part of this row was read
  const endRow = () => {
    rows.push([...row, cell]);
    row = [];
    cell = "";
    started = false;
  };
  let i = text.startsWith("\ufeff") ? 1 : 0;
  for (; i < text.length && rows.length < max; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (c === '"' && cell === "") {
      quoted = true;
      started = true;
    } else if (c === mark) {
      row.push(cell);
      cell = "";
      started = true;
    } else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[i + 1] === "\n") i++;
      if (started || cell !== "") endRow();
    } else {
      cell += c;
      started = true;
    }
  }
  if (rows.length < max && (started || cell !== "")) endRow();
  return { rows, more: i < text.length && text.slice(i).trim() !== "" };
}

/** The common separator that occurs most often in the first line, outside quotes. */
function separatorOf(text: string): string {
  const [first = ""] = text.split(/\r?\n/, 1);
  const open = first.replaceAll(/"[^"]*"/g, "");
  const [best = ","] = [",", ";", "\t", "|"].sort((a, b) => open.split(b).length - open.split(a).length);
  return best;
}
