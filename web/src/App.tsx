import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type AnyRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { LiveProvider } from "./live";
import { Toasts } from "./ui/Toasts";

/** Everything that stands around the pages, and the pages. */
export function App({ client, router }: { client: QueryClient; router: AnyRouter }) {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <LiveProvider>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
