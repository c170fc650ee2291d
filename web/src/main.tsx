import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { newQueryClient } from "./api/queries";
import { LiveProvider } from "./live";
import { router } from "./router";
import "./styles/index.css";
import { Toasts } from "./ui/Toasts";

// Styles that libraries put into the page are allowed by this nonce alone.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={newQueryClient()}>
        <LiveProvider>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
        </LiveProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
