/** CONNECT: bytes both ways between the client and the one host that was checked. */
import type { Socket } from "node:net";
import type { Answer, Checked } from "./gate.ts";

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";
const REASONS = { 403: "Forbidden", 502: "Bad Gateway" } as const;
const LINGER_MS = 2000;

/** `head`: what the client sent behind its request, for the host. */
export async function tunnel(client: Socket, head: Buffer, checked: Checked, idleTimeoutMs: number): Promise<void> {
  if (!checked.ok) return turnAway(client, checked.answer);
  const passed = await checked.reach(client);
  if (!passed.ok) return turnAway(client, passed.answer);
  const { socket: host } = passed;
  for (const each of [client, host]) {
    each.on("error", () => undefined);
    each.setTimeout(idleTimeoutMs, () => each.destroy());
  }
  client.once("close", () => host.destroy());
  // What has come from the host is still passed on.
  host.once("close", () => client.destroySoon());
  if (client.destroyed) return void host.destroy();
  client.write(ESTABLISHED);
  if (head.length > 0) host.write(head);
  // An end in one direction leaves the other open.
  client.pipe(host);
  host.pipe(client);
}

function turnAway(client: Socket, { status, text }: Answer): void {
  const body = `${text}\n`;
  client.on("error", () => undefined);
  client.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // What it still sends is read and dropped, or the answer might not reach it.
  client.resume();
  client.setTimeout(LINGER_MS, () => client.destroy());
}
