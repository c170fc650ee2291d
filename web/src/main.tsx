import { setNonce } from "get-nonce";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { newQueryClient } from "./api/queries";
import { firstData } from "./firstData";
import { router } from "./router";
import "./styles/index.css";

// Styles that libraries put into the page are allowed by this nonce alone.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

/** Draws once it is known what: as one drawing, in small pieces, so that slow machines answer to touch meanwhile. */
async function begin(root: HTMLElement): Promise<void> {
  const client = newQueryClient();
  const loaded = router.load().catch(() => {}); // it is tried again, and told, where it is drawn
  await Promise.all([loaded, firstData(client, location)]);
  startTransition(() => createRoot(root).render(<App client={client} router={router} />));
}

const root = document.getElementById("root");
if (root) setTimeout(() => void begin(root), 0); // in a task of its own
