// The lexical side of JSON: where tokens begin and end. The server sends valid
// JSON, and what people type is checked by JSON.parse first (see raw.ts), so
// this only has to find the borders, but it refuses what it cannot read.

const space = /[ \t\n\r]*/y;
const stringToken = /"(?:[^"\\]|\\.)*"/y;
const scalar = /-?\d[\d.eE+-]*|true|false|null/y;

export class Scanner {
  at = 0;
  constructor(readonly text: string) {}

  private match(token: RegExp): string | undefined {
    token.lastIndex = this.at;
    const found = token.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** The next character that is not space, not taken. */
  peek(): string {
    this.match(space);
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
    this.match(space);
    const found = this.match(stringToken);
    if (found === undefined) throw new SyntaxError(`expected a string at ${this.at}`);
    return found;
  }

  /** The text of a number, true, false or null. */
  scalar(): string {
    this.match(space);
    const found = this.match(scalar);
    if (found === undefined) throw new SyntaxError(`expected a value at ${this.at}`);
    return found;
  }

  /** Calls member for each key of an object, whose value member has to take. */
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

  /** Calls item for each item of a list, which item has to take. */
  array(item: (index: number) => void): void {
    this.expect("[");
    if (this.take("]")) return;
    let index = 0;
    do item(index++);
    while (this.take(","));
    this.expect("]");
  }

  /** Takes one value and gives its text. Depth costs no stack. */
  skip(): string {
    this.match(space);
    const start = this.at;
    let depth = 0;
    do {
      const c = this.peek();
      if (c === '"') this.string();
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
