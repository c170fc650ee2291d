import { hasUnseen } from "../words/unseen";

const bytesMax = 254; // the server's limit: the longest possible address

/** Why a recipient's name is invalid; undefined if it is valid or still empty. */
export function recipientFault(name: string, me?: string): string | undefined {
  if (name === "") return undefined;
  if (hasUnseen(name)) return "The name contains invisible characters. Type it again.";
  if (/[\s:]/.test(name)) return "A name is one word, such as bob or bob@example.com.";
  if (new TextEncoder().encode(name).length > bytesMax) return "This is too long for a name.";
  if (name === me) return "That's you. Choose someone else.";
  return undefined;
}
