import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A program that wants no more messages, until the story ends. Whatever a webhook sends there has failed for good. */
export async function refusing(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(410).end());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
