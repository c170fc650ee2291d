/** What was asked for before the program ran (first/first.ts). */
export interface Early {
  href: string;
  answer: Promise<Response>;
}

declare global {
  interface Window {
    assentEarly?: Early;
  }
}

/** What nobody took while the page was drawn first is old by now. */
export function forgetEarly(): void {
  if (globalThis.window) window.assentEarly = undefined;
}

/** Sends a request, unless its answer is on its way already. An early answer serves once. */
export async function send(request: Request): Promise<Response> {
  const early = globalThis.window?.assentEarly;
  if (early && request.method === "GET" && request.url === early.href) {
    window.assentEarly = undefined;
    try {
      return (await early.answer).clone();
    } catch {
      // The network may be back.
    }
  }
  return globalThis.fetch(request);
}
