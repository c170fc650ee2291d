import { setNonce } from "get-nonce";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { newQueryClient } from "./api/queries";
import { router } from "./router";
import "./styles/index.css";

// Styles that libraries put into the page are allowed by this nonce alone.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

/** Draws once it is known what: as one drawing, in small pieces, so that slow machines answer to touch meanwhile. */
async function begin(root: HTMLElement): Promise<void> {
  await router.load().catch(() => {}); // it is tried again, and told, where it is drawn
  startTransition(() => createRoot(root).render(<App client={newQueryClient()} router={router} />));
}

const root = document.getElementById("root");
if (root) void begin(root);
