import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ComponentType } from "react";
import { vi } from "vitest";
import { RouterProvider } from "../src/router";
import type { Place } from "../src/router/address";
import { routerAt } from "../src/router/testing";
import { Toasts } from "../src/ui/Toasts";
import { TooltipProvider } from "../src/ui/Tooltip";

export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: Headers;
}

/** What a server answers: a value as JSON, a Response, or nothing, which is 404. */
export type Answer = (sent: Sent) => unknown;

export function problem(
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ status, code, title: "", detail: "", hint: "", errors: [], ...more }), {
    status,
    headers: { "Content-Type": "application/problem+json", ...headers },
  });
}

/** Answers requests by path, such as "GET /api/v1/runs/run_1"; keeps what was sent. */
export function serve(answers: Record<string, Answer>): Sent[] {
  const log: Sent[] = [];
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(new URL(input, location.origin), init);
    const url = new URL(request.url);
    const { method, headers } = request;
    const sent = { method, path: url.pathname, query: url.searchParams, body: await request.text(), headers };
    log.push(sent);
    const given = await answers[`${sent.method} ${sent.path}`]?.(sent);
    if (given instanceof Response) return given.clone();
    if (given === undefined && sent.path === "/api/v1/deliverables")
      return Response.json({ items: [], total: 0, next_cursor: "" });
    if (given === undefined) return problem(404, "not_found", { title: `no answer to ${sent.method} ${sent.path}` });
    const text = typeof given === "string" ? given : JSON.stringify(given);
    return new Response(text, { headers: { "Content-Type": "application/json" } });
  });
  return log;
}

/** Shows a page at an address. Other addresses are there, and empty. */
export function visit(Shown: ComponentType, place: Place, address: string) {
  const others: Place[] = ["/inbox", "/sign-in", "/runs/$id", "/approvals/$id", "/history", "/runs/$id/replay"];
  const { router, history } = routerAt(address, { [place]: () => <Shown /> }, others);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  const shown = render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...shown, address: history.href, go: history.go, client };
}
