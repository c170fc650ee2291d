const letters = "abcdefghijkmnpqrstuvwxyz23456789"; // 32: none is taken for another

/** A first password: five groups of five, 125 bits. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(25));
  const text = Array.from(bytes, (byte) => letters[byte % letters.length] ?? "a").join("");
  return text.match(/.{5}/g)?.join("-") ?? text;
}
