import { setNonce } from "get-nonce";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import { newQueryClient } from "./api/queries";
import { firstData } from "./firstData";
import { taskOfItsOwn } from "./lib/later";
import { newRouter } from "./pages";
import "./styles/index.css";
import { setClock } from "./ui/clock";

// Styles that libraries inject are allowed only with this nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

/** Renders once the data is known: in one pass, in small pieces, so that slow machines stay responsive to touch. */
async function begin(root: HTMLElement): Promise<void> {
  const client = newQueryClient();
  const router = newRouter();
  await taskOfItsOwn();
  const drawn = createRoot(root);
  await taskOfItsOwn(); // adding React's listeners takes slow phones a while
  await Promise.all([router.load(), firstData(client, location)]);
  await taskOfItsOwn(); // after the page's code has run
  setClock();
  startTransition(() => drawn.render(<App client={client} router={router} />));
}

const root = document.getElementById("root");
if (root) void taskOfItsOwn().then(() => begin(root));
