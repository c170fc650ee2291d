import { act, cleanup, render, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { App } from "../../App";
import { newQueryClient } from "../../api/queries";
import { newRouter } from "../../pages";
import { memoryHistory } from "../../router";

// Pages as they are drawn before the server has told anything. The server puts them into the document, so that they
// are seen before any script has run, and nothing moves when the program takes over. After a change of the shell, the
// inbox or the skeletons: npx vitest run src/shell/first -u
const frames = [
  ["inbox", "/inbox"],
  ["approval", "/approvals/apr_0"],
  ["page", "/no-such-page"],
] as const;

beforeEach(() => {
  vi.stubGlobal("fetch", () => new Promise(() => {})); // never answers
  // On wide screens the inbox has a pane; its class hides it elsewhere.
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("min-width"),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each(frames)("the frame of %s is what the program draws first", async (name, path) => {
  const router = newRouter(memoryHistory(path));
  const { container } = await act(async () => {
    await router.load();
    return render(<App client={newQueryClient()} router={router} />);
  });
  const main = await waitFor(() => container.querySelector("main > *") ?? Promise.reject(new Error("no page")));
  if (name === "page") main.remove(); // what it will be is not known
  await expect(frameOf(container, name)).toMatchFileSnapshot(`./${name}.html`);
});

function frameOf(container: Element, name: string): string {
  const frame = container.cloneNode(true) as Element;
  for (const pane of frame.querySelectorAll("[data-preview]")) pane.classList.add("max-lg:hidden");
  // What src/first fills in before the program runs.
  if (name === "approval") frame.querySelector("main [role=status] > *")?.setAttribute("data-first-head", "");
  else for (const row of frame.querySelectorAll("main [role=status] > *")) row.setAttribute("data-first-row", "");
  // It is shown before it works: nobody should begin to fill in what is about to be replaced.
  frame.firstElementChild?.setAttribute("inert", "");
  return `${frame.innerHTML}\n`;
}
