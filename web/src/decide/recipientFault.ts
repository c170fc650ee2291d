import { hasUnseen } from "../words/unseen";

const bytesMax = 254; // as the server counts: the longest address there can be

/** What is wrong with a name that something is handed to; undefined if nothing, or if there is none yet. */
export function recipientFault(name: string, me?: string): string | undefined {
  if (name === "") return undefined;
  if (hasUnseen(name)) return "There are characters in it that cannot be seen. Type the name anew.";
  if (/[\s:]/.test(name)) return "A name is one word, such as bob or bob@example.com.";
  if (new TextEncoder().encode(name).length > bytesMax) return "This is too long for a name.";
  if (name === me) return "That's you. Choose someone else.";
  return undefined;
}
