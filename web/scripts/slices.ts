import type { Plugin } from "vite";

/** How long React may draw at a time before it lets the browser respond. Its own constant is 5 ms. */
const sliceMs = 3;
const own = "frameInterval = 5,";

/**
 * Lets React draw in shorter slices: on a phone that is eleven times slower, each of the default ones would be a long
 * task. There is no option for it (unstable_forceFrameRate accepts no less than 8 ms), so the constant is replaced, and
 * the build fails if it is gone.
 */
export function slices(): Plugin {
  let replaced = 0;
  return {
    name: "slices",
    apply: "build",
    transform: {
      filter: { id: /\/scheduler\/cjs\/scheduler\.production\.js$/ },
      handler(code) {
        if (code.split(own).length !== 2)
          throw new Error("scheduler no longer has the constant that limits its slices");
        replaced++;
        return { code: code.replace(own, `frameInterval = ${sliceMs},`), map: null };
      },
    },
    buildEnd(error) {
      if (!error && replaced !== 1) throw new Error(`scheduler was found ${replaced} times`);
    },
  };
}
