// Fails if the inbox loads too much code before it shows anything.
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const budget = 160_000; // bytes, gzip
const dist = process.argv[2] ?? fileURLToPath(new URL("../dist/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, "utf8"));

const files = new Set(["first.js"]);
function need(key) {
  const chunk = manifest[key];
  if (!chunk || files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const other of chunk.imports ?? []) need(other);
}

need("index.html");
need("src/inbox/index.tsx");

let total = 0;
for (const file of files) {
  const packed = `${dist}${file}.gz`;
  const { size } = statSync(existsSync(packed) ? packed : dist + file);
  total += size;
  console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`);
}
console.log(`${(total / 1000).toFixed(1).padStart(8)} kB  of ${budget / 1000} kB for shell and inbox (gzip)`);
if (total > budget) {
  console.error("Too much: load what the first view does not show with import(), or leave a library out.");
  process.exit(1);
}
