import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { firstView } from "./scripts/firstView";

// `npm run dev` shows the pages with the data of a running server.
const server = process.env.ASSENT_ADDR ?? "127.0.0.1:8080";
const target = server.includes("://") ? server : `http://${server}`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), tailwindcss(), firstView()],
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
          // What every page needs is one file each for libraries and for our own: over plain http each file more is
          // a wait more, and the libraries stay in the browser's store when only our own code changes.
          groups: [
            { name: "libraries", tags: ["$initial"], test: /node_modules/, priority: 2 },
            { name: "program", tags: ["$initial"], priority: 1 },
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
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./test/setup.ts"],
    restoreMocks: true,
  },
});
