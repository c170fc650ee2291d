// Prepares the view that the server sends before the program runs (web/first.go, src/first).
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type Plugin, type ViteDevServer } from "vite";

const frames = fileURLToPath(new URL("../src/shell/first/", import.meta.url));
const script = fileURLToPath(new URL("../src/first/first.ts", import.meta.url));
const program = /<script type="module" crossorigin src="([^"]+)"><\/script>\s*/;
const preload = (name: string) => new RegExp(`<link rel="modulepreload" crossorigin href="[^"]*/${name}-[^"]+">\\s*`);

/** The script that runs first, in one file. */
async function firstScript(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      copyPublicDir: false,
      target: "es2022",
      rolldownOptions: { input: script, output: { format: "iife" } },
    },
  });
  const [first] = [made].flat() as { output: { code?: string }[] }[];
  const code = first?.output[0]?.code;
  if (!code) throw new Error("src/first was built into nothing");
  return code;
}

export function firstView(): Plugin[] {
  const begins = (html: string) => html.replace("<!--first-->", '<script src="/first.js"></script>');
  return [
    { name: "first-view-dev", apply: "serve", transformIndexHtml: begins, configureServer: serveScript },
    built(begins),
  ];
}

function serveScript({ middlewares }: ViteDevServer): void {
  middlewares.use("/first.js", async (_, answer) => {
    answer.setHeader("Content-Type", "text/javascript");
    answer.end(await firstScript());
  });
}

function built(begins: (html: string) => string): Plugin {
  return {
    name: "first-view",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => /geist-latin-wght-normal.*\.woff2$/.test(name));
        if (!font) throw new Error("the font that is to be loaded early is not there");
        const [script, main] = program.exec(html) ?? [];
        const parts = ["react", "libraries"].map((name) => preload(name).exec(html)?.[0]);
        if (!script || parts.includes(undefined)) throw new Error("index.html lacks the scripts that begin early");
        // In the order in which they start, and after the style: the frame is visible before they run.
        const ordered = [...parts, `<link rel="modulepreload" crossorigin href="${main}">\n    `];
        const scripts = ordered.map((link) => link?.replace(">", " data-program>")).join("");
        const fonts = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}">\n    `;
        return parts
          .reduce<string>((rest, link) => rest.replace(link ?? "", ""), begins(html))
          .replace(script, scripts)
          .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
          .replace('<link rel="stylesheet"', `${fonts}$&`);
      },
    },
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: "first.js", source: await firstScript() });
      for (const name of readdirSync(frames)) {
        if (name.endsWith(".html"))
          this.emitFile({ type: "asset", fileName: `.first/${name}`, source: readFileSync(frames + name, "utf8") });
      }
    },
  };
}
