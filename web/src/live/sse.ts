import { ApiError, problemOf } from "../api/error";

/** One server-sent event; data is empty for a heartbeat, which only advances the id. */
export interface Message {
  id: string;
  /** Whether it came with its own id; news, which is in no log, has none. */
  numbered: boolean;
  event: string;
  data: string;
}

/** Splits text that arrives in pieces into messages. */
export function messages(): (piece: string) => Message[] {
  let rest = "";
  let id = "";
  return (piece) => {
    rest += piece.replaceAll("\r\n", "\n");
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    return blocks.map((block) => {
      const message: Message = { id, numbered: false, event: "message", data: "" };
      const lines: string[] = [];
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon <= 0) continue; // a comment
        const value = line.slice(colon + 1).replace(/^ /, "");
        if (line.startsWith("id:")) {
          id = value;
          message.numbered = true;
        } else if (line.startsWith("event:")) message.event = value;
        else if (line.startsWith("data:")) lines.push(value);
      }
      return { ...message, id, data: lines.join("\n") };
    });
  };
}

export interface Reading {
  url: string;
  signal: AbortSignal;
  onOpen: () => void;
  onMessage: (message: Message) => void;
  /** The longest silence; the server sends a heartbeat every 15 seconds. */
  silenceMs?: number;
}

// EventSource hides the details we need: the status of a refusal, and ids without an event, from which another tab can
// continue.

/** Reads a stream until it ends; throws if it could not be opened, broke or fell silent. */
export async function readStream({ url, signal, onOpen, onMessage, silenceMs = 40_000 }: Reading): Promise<void> {
  const ended = new AbortController();
  const stop = () => ended.abort();
  signal.addEventListener("abort", stop);
  let watch = setTimeout(stop, silenceMs);
  try {
    const response = await fetch(url, {
      headers: { Accept: "text/event-stream" },
      cache: "no-store",
      signal: ended.signal,
    });
    if (!response.ok) throw await problemOf(response);
    if (!response.body) throw new ApiError({ code: "unreachable" });
    onOpen();
    const read = messages();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(stop, silenceMs);
      for (const message of read(value)) onMessage(message);
    }
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", stop);
  }
}
