import { TextDecoderStream } from "node:stream/web";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { forgetKeys, pace } from "../src/shell/deliberate";
import { forgetToasts } from "../src/ui/Toasts";

// Busy machines are slow, which is no failure. A test has longer than a wait (vite.config.ts), so that the wait reports
// what it was waiting for.
configure({ asyncUtilTimeout: 25_000 });
// Tests press keys faster than people, and busy machines draw later than people wait.
Object.assign(pace, { seen: 0, before: 0, after: 0, meant: Number.POSITIVE_INFINITY });
// A window of happy-dom has none, and live events are read with one.
Object.assign(globalThis, { TextDecoderStream });
// Requests that no test answers fail at once, without looking for a server.
globalThis.fetch = () => Promise.reject(new TypeError("no server"));
beforeEach(forgetKeys);
afterEach(() => {
  cleanup();
  forgetToasts();
});
