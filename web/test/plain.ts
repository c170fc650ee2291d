import { afterEach, vi } from "vitest";

/** What only a browser has, as Node.js reports it missing. */
const missing = /(document|window|navigator|location|localStorage|sessionStorage|HTMLElement) is not defined/;

// Requests that no test answers fail at once, without looking for a server.
globalThis.fetch = () => Promise.reject(new TypeError("no server"));
// The files of a worker share its globals, so each test returns the clock; vite.config.ts returns what was stubbed.
afterEach(({ task }) => {
  vi.useRealTimers();
  for (const error of task.result?.errors ?? []) {
    if (missing.test(error.message)) error.message += ": tests that need a page are named .test.tsx or .dom.test.ts";
  }
});
