/** One process of the bench of the gateway: the provider, a plain reverse proxy, or the gateway. Says its address to its parent. */
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createFileCallRecords } from "../../src/adapters/files/call-records.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { PLAIN_ROUTER } from "../../src/gateway/exchange.ts";
import { PROVIDERS } from "../../src/gateway/providers.ts";
import { createGateway } from "../../src/gateway/server.ts";
import { createUpstream } from "../../src/gateway/upstream.ts";

export interface Served {
  readonly url: string;
  readonly token: string;
}

/** Longer than any round: a server that ends a connection which a client is about to use is not what is measured. */
const KEPT_MS = 600_000;

const [role = "", upstream = "", dir = ""] = process.argv.slice(2);

const delta = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })}\n\n`;
const START = `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message: { model: "claude-sonnet-4-5", usage: { input_tokens: 20, output_tokens: 1 } } })}\n\n`;
const END = `event: message_delta\ndata: ${JSON.stringify({ type: "message_delta", usage: { output_tokens: 9 } })}\n\n`;
/** Twenty events in a packet, as they come when a model is fast. */
const PACKET = Buffer.from(delta("some words of an answer ").repeat(20));

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** Answers `stream` requests with so many packets, and others with one small answer. */
function provider(): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEPT_MS }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { stream = false, metadata } = JSON.parse(Buffer.concat(chunks).toString()) as {
        stream?: boolean;
        metadata?: { packets?: number };
      };
      if (!stream) {
        outgoing.writeHead(200, { "content-type": "application/json" });
        outgoing.end(JSON.stringify({ model: "claude-sonnet-4-5", usage: { input_tokens: 20, output_tokens: 9 } }));
        return;
      }
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write(START);
      let left = metadata?.packets ?? 1;
      const more = (): void => {
        while (left > 0) {
          left -= 1;
          if (!outgoing.write(PACKET)) return void outgoing.once("drain", more);
        }
        outgoing.end(END);
      };
      more();
    });
  });
  return listen(server);
}

function plainProxy(): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const server = createServer({ keepAliveTimeout: KEPT_MS }, (incoming, outgoing) => {
    const onward = request(upstream + incoming.url, {
      method: incoming.method ?? "POST",
      headers: incoming.headers,
      agent,
    });
    onward.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return listen(server);
}

async function gateway(): Promise<Served> {
  const clock = createSystemClock();
  const { ledger } = await openSqliteStore({ dir, clock, readOnly: false, acceptLoss: false });
  const keys = new Map([["anthropic", "sk-bench"]]);
  const providers = Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, each]) => [name, { ...each, baseUrl: upstream }]),
  );
  const gate = createGateway({
    ...{ ledger, clock, records: createFileCallRecords({ dir: `${dir}/calls` }), prices: {}, router: PLAIN_ROUTER },
    redact: (text) => text,
    onCall: () => undefined,
    upstream: createUpstream({ providers, keys, idleMs: 60_000 }),
    hasKey: () => true,
  });
  const url = await gate.listen(0);
  const account = { scope: "run", name: "bench/1" } as const;
  const caps = [{ account, unit: "microUsd", window: "run", amount: 1e15, source: "the bench" }] as const;
  const grant = { key: "bench/1", accounts: [account], caps, priority: 0, calls: null, providers: null };
  return { url, token: gate.open(grant).token };
}

process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().rss);
});
process.once("disconnect", () => process.exit(0));
const served: Served =
  role === "gateway" ? await gateway() : { url: await (role === "plain" ? plainProxy() : provider()), token: "" };
process.send?.(served);
