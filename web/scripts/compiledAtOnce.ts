import type { Plugin } from "vite";

/** Files most of whose functions run in a first view. */
const files = /^(react|libraries|index|parts|inbox|deciding|approval|payloads)$/;

/**
 * Asks browsers to compile these files as a whole while they load, on another thread. Otherwise each function is
 * compiled when it is called first, which delays the first view and whatever the user does at the same time. Browsers that do
 * not know the comment ignore it; it has to be the first line.
 */
export function compiledAtOnce(): Plugin {
  return {
    name: "compiled-at-once",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === "chunk" && files.test(file.name)) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      },
    },
  };
}
