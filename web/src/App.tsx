import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { LiveProvider } from "./live";
import { type Router, RouterProvider } from "./router";
import { Frame } from "./signin/Frame";
import { Toasts } from "./ui/Toasts";

/** The pages and the providers around them. */
export function App({ client, router }: { client: QueryClient; router: Router }) {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <LiveProvider>
          <Toasts>
            <RouterProvider router={router} frame={Frame} />
          </Toasts>
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
