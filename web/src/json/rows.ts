/** A text in rows of limited length, as start offsets; a row ends where the next one begins. */
export interface Rows {
  text: string;
  starts: Uint32Array;
}

/** Characters per row; longer lines continue in the next. */
const widest = 200;

export function rowsOf(text: string): Rows {
  let starts = new Uint32Array(Math.max(16, text.length >> 4));
  let count = 0;
  const add = (at: number) => {
    if (count === starts.length) {
      const more = new Uint32Array(count * 2);
      more.set(starts);
      starts = more;
    }
    starts[count++] = at;
  };
  for (let line = 0; line <= text.length; ) {
    const found = text.indexOf("\n", line);
    const end = found < 0 ? text.length : found;
    add(line);
    for (let at = line + widest; at < end; at += widest) {
      if (isFirstOfPair(text.charCodeAt(at - 1))) at++; // a surrogate pair is one character
      if (at < end) add(at);
    }
    line = end + 1;
  }
  return { text, starts: starts.slice(0, count) };
}

/** One row, without its line break. */
export function rowAt({ text, starts }: Rows, index: number): string {
  const row = text.slice(starts[index], starts[index + 1]);
  return row.endsWith("\n") ? row.slice(0, -1) : row;
}

function isFirstOfPair(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
