import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A channel to a program that wants no more messages, until the story ends: all have failed, and none is tried again. */
export async function refusing(channel: string) {
  const server = createServer((_, response) => response.writeHead(410).end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { channel, kind: "webhook", url, secret: `whsec_${btoa("x".repeat(32))}` };
}
