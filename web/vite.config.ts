import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { compiledAtOnce } from "./scripts/compiledAtOnce.ts";
import { firstView } from "./scripts/firstView.ts";

// `npm run dev` shows the pages with the data of a running server.
const server = process.env.ASSENT_ADDR ?? "127.0.0.1:8080";
const target = server.includes("://") ? server : `http://${server}`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
// What an approval shows at first; its forms, dialogs and menus come when they are wanted.
const deciding = /src\/decide\/(?!ActDialog|MoreMenu|allow|Options|Told|JsonEditor|draft|testing)/;
// Small things that several pages share, in one file instead of one each: those of the inbox, those for payloads, and
// those of other pages. An icon of the inbox that is missing here makes it load the latter, which `npm run size` reports.
const parts =
  /icons\/(chevron-right|flask-conical|list-filter)\.|src\/(api|words|lib)\/|src\/ui\/(Badge|ConfidenceBar|Input|RiskBadge|TestBadge|Time|Visible)\.|src\/(decide\/draft|inbox\/gist)/;
const others =
  /icons\/(?!(chevron-right|flask-conical|list-filter)\.)|src\/api\/(access|agents|audit|automation|below|deliverables|insights|notifications|permitted|plans|policyEdit|runs|settings|signin|workflows)\.|src\/words\/(calls|changed|deliverables|enumsLater|events|fields|notifications|steps)\./;
const payloads =
  /src\/json\/|src\/ui\/(Card|Checkbox|CodeBlock|CopyButton|DataNote|ExternalLink|Field|JsonView|Markdown|readMarkdown|StatusBadge|Textarea)\./;

export default defineConfig({
  plugins: [react(), tailwindcss(), firstView(), compiledAtOnce()],
  resolve: { alias: { "@": here("./src") } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs is one file each for React, other libraries and our own: over plain http each file more
          // is a wait more, what others wrote stays in the browser's store when only our own changes, and each of them
          // begins in a task of its own (src/first).
          groups: [
            { name: "react", tags: ["$initial"], test: /node_modules\/(react|react-dom|scheduler)\//, priority: 5 },
            { name: "libraries", tags: ["$initial"], test: /node_modules/, priority: 4 },
            { name: "program", tags: ["$initial"], priority: 3 },
            // Menus, dialogs and what else floats; nothing of it is in a first view.
            { name: "floating", test: /@radix-ui|@floating-ui|react-remove-scroll|aria-hidden/, priority: 2 },
            { name: "deciding", test: deciding, priority: 1, includeDependenciesRecursively: false },
            { name: "payloads", test: payloads, minShareCount: 2, includeDependenciesRecursively: false },
            { name: "others", test: others, minShareCount: 2, includeDependenciesRecursively: false },
            { name: "parts", test: parts, minShareCount: 2, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/api": { target, changeOrigin: true, ws: true },
      "/healthz": target,
      "/readyz": target,
    },
  },
  test: {
    environment: "happy-dom",
    setupFiles: ["./test/setup.ts"],
    restoreMocks: true,
    testTimeout: 120_000, // busy machines are slow, which is no failure
    hookTimeout: 120_000,
    maxWorkers: "100%", // nothing else runs meanwhile
    projects: [
      // Every other test is a computation and needs no window. In workers that they share, these take about half the time
      // that they take in one each. One that needs a document fails here, and is named .dom.test.ts.
      {
        extends: true,
        test: {
          name: "plain",
          include: ["src/**/*.test.ts"],
          exclude: ["src/**/*.dom.test.ts"],
          environment: "node",
          setupFiles: ["./test/plain.ts"],
          pool: "threads",
          isolate: false,
          unstubGlobals: true,
        },
      },
      // Each file has a window of its own, and the files of a worker load the code that makes one once.
      {
        extends: true,
        test: { name: "drawn", include: ["src/**/*.test.tsx", "src/**/*.dom.test.ts"], pool: "vmThreads" },
      },
    ],
  },
});
