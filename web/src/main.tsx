import { setNonce } from "get-nonce";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { newQueryClient } from "./api/queries";
import { firstData } from "./firstData";
import { newRouter } from "./pages";
import "./styles/index.css";

// Styles that libraries put into the page are allowed by this nonce alone.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

/** Draws once it is known what: as one drawing, in small pieces, so that slow machines answer to touch meanwhile. */
async function begin(root: HTMLElement): Promise<void> {
  const client = newQueryClient();
  const router = newRouter();
  await taskOfItsOwn();
  await Promise.all([router.load(), firstData(client, location)]);
  startTransition(() => createRoot(root).render(<App client={client} router={router} />));
}

const root = document.getElementById("root");
if (root) void taskOfItsOwn().then(() => begin(root));

/** Lets the browser answer to touch, and paint, in between. */
function taskOfItsOwn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
