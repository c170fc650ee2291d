/** A request sent before the program ran (first/first.ts). */
export interface Early {
  href: string;
  answer: Promise<Response>;
}

declare global {
  interface Window {
    assentEarly?: Early[];
  }
}

/** Responses not used by the first render are stale by now. */
export function forgetEarly(): void {
  if (globalThis.window) window.assentEarly = undefined;
}

/** Sends a request, unless it was already sent early. An early response is used once. */
export async function send(request: Request): Promise<Response> {
  const early = globalThis.window?.assentEarly?.find(({ href }) => request.method === "GET" && request.url === href);
  if (early) {
    window.assentEarly = window.assentEarly?.filter((other) => other !== early);
    try {
      return (await early.answer).clone();
    } catch {
      // The network may be back.
    }
  }
  return globalThis.fetch(request);
}
