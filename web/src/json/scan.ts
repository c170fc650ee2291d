// The lexer of JSON: where tokens begin and end. The server sends valid JSON, and typed text is checked by JSON.parse
// first (see raw.ts), so this only has to find the boundaries, but it rejects anything it cannot read.

const scalar = /-?\d[\d.eE+-]*|true|false|null/y;
const quote = 0x22;
const backslash = 0x5c;

// Responses are long and phones slow: characters are examined one by one only where no built-in search can be used.
export class Scanner {
  at = 0;
  constructor(readonly text: string) {}

  private space(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at++;
    }
  }

  /** The next character that is not whitespace, without consuming it. */
  peek(): string {
    this.space();
    return this.text[this.at] ?? "";
  }

  take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at++;
    return true;
  }

  expect(char: string): void {
    if (!this.take(char)) throw new SyntaxError(`expected ${char} at ${this.at}`);
  }

  /** The text of a string with its quotes. */
  string(): string {
    this.space();
    const start = this.at;
    this.pass();
    return this.text.slice(start, this.at);
  }

  /** Consumes a string. */
  private pass(): void {
    const { text, at } = this;
    let end = text.charCodeAt(at) === quote ? text.indexOf('"', at + 1) : -1;
    while (end > 0 && escaped(text, end)) end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError(`expected a string at ${at}`);
    this.at = end + 1;
  }

  /** The text of a number, true, false or null. */
  scalar(): string {
    this.space();
    scalar.lastIndex = this.at;
    const found = scalar.exec(this.text)?.[0];
    if (found === undefined) throw new SyntaxError(`expected a value at ${this.at}`);
    this.at += found.length;
    return found;
  }

  /** Calls member for each key of an object; member must consume the value. */
  object(member: (keyText: string) => void): void {
    this.expect("{");
    if (this.take("}")) return;
    do {
      const key = this.string();
      this.expect(":");
      member(key);
    } while (this.take(","));
    this.expect("}");
  }

  /** Calls item for each item of a list; item must consume it. */
  array(item: (index: number) => void): void {
    this.expect("[");
    if (this.take("]")) return;
    let index = 0;
    do item(index++);
    while (this.take(","));
    this.expect("]");
  }

  /** Consumes one value and returns its text. Nesting uses no stack. */
  skip(): string {
    this.space();
    const start = this.at;
    let depth = 0;
    do {
      const c = this.peek();
      if (c === '"') this.pass();
      else if (c === "{" || c === "[") {
        depth++;
        this.at++;
      } else if (c === "}" || c === "]") {
        depth--;
        this.at++;
      } else if (c === "," || c === ":") this.at++;
      else this.scalar();
    } while (depth > 0);
    return this.text.slice(start, this.at);
  }
}

/** Whether an odd number of backslashes precedes a position. */
function escaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}
