// Prepares what the server shows before the program runs (web/first.go, public/first.js).
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const frames = fileURLToPath(new URL("../src/shell/first/", import.meta.url));
const program = /<script type="module" crossorigin src="([^"]+)"><\/script>\s*/;
const libraries = /(<link rel="modulepreload" crossorigin href="[^"]*\/libraries-[^"]+")>/;

export function firstView(): Plugin {
  return {
    name: "first-view",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html) {
        const [, main] = program.exec(html) ?? [];
        if (!main || !libraries.test(html)) throw new Error("index.html lacks the scripts that are to be loaded early");
        // In the order in which they begin.
        return html
          .replace(program, "")
          .replace(
            libraries,
            `$1 data-program>\n    <link rel="modulepreload" crossorigin href="${main}" data-program>`,
          );
      },
    },
    generateBundle() {
      for (const name of readdirSync(frames)) {
        if (name.endsWith(".html"))
          this.emitFile({ type: "asset", fileName: `.first/${name}`, source: readFileSync(frames + name, "utf8") });
      }
    },
  };
}
