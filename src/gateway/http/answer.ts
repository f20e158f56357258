/** Answers that the gateway gives itself, in the form of the wire, and such that no client tries again by itself where that is of no use. */
import type { ServerResponse } from "node:http";
import type { Refusal, Wire } from "../wires/wire.ts";

export function refuse(response: ServerResponse, wire: Wire, refusal: Refusal, waitMs: number | null = null): void {
  if (response.headersSent) return void response.destroy();
  const body = Buffer.from(JSON.stringify(wire.errorBody(refusal)));
  response.writeHead(refusal.status, {
    "content-type": "application/json",
    "content-length": body.length,
    "x-should-retry": String(refusal.status === 503),
    ...(waitMs === null ? {} : { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) }),
    // A body that was not read to its end must not be taken for the next request.
    ...(refusal.status === 413 ? { connection: "close" } : {}),
  });
  response.end(body);
}
