// Replaces every file in dist (or the given folder) that gets smaller by NAME.br and NAME.gz, which browsers load. The
// server unpacks the latter for clients that accept neither.
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url));
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|svg|json|webmanifest|txt)$/.test(entry.name)) continue;
  if (basename(entry.parentPath).startsWith(".")) continue; // read by the server, not by browsers
  const path = join(entry.parentPath, entry.name);
  const body = readFileSync(path);
  const packed = {
    gz: gzipSync(body, { level: 9 }),
    br: brotliCompressSync(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  };
  if (packed.gz.length > body.length * 0.9) continue;
  for (const [ending, bytes] of Object.entries(packed)) writeFileSync(`${path}.${ending}`, bytes);
  unlinkSync(path);
}
