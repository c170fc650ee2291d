// Verifies requests with the library of standardwebhooks from npm, and v1a signatures with Node's own crypto.
// Each line on standard input is {secret | key, body, headers}; each answer a line {ok, error?, payload?}.
import { createPublicKey, verify } from "node:crypto";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

// ed25519 wraps the 32 bytes of a key as the standard for public keys says.
const ed25519 = (raw) =>
  createPublicKey({ key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]), format: "der", type: "spki" });

function asymmetric(key, body, headers) {
  if (!key.startsWith("whpk_")) throw new Error("not a public key");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const found = headers["webhook-signature"]
    .split(" ")
    .filter((s) => s.startsWith("v1a,"))
    .some((s) => verify(null, Buffer.from(signed), ed25519(Buffer.from(key.slice(5), "base64")), Buffer.from(s.slice(4), "base64")));
  if (!found) throw new Error("no v1a signature fits");
  return JSON.parse(body);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, key, body, headers } = JSON.parse(line);
  try {
    const payload = key ? asymmetric(key, body, headers) : new Webhook(secret).verify(body, headers);
    console.log(JSON.stringify({ ok: true, payload }));
  } catch (error) {
    console.log(JSON.stringify({ ok: false, error: String(error.message) }));
  }
}
