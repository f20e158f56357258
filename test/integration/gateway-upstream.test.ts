/** What goes to a provider and comes from it: no faster than somebody reads, no longer than somebody waits. */
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type ModelCall, type ProviderAnswer, UpstreamError } from "../../src/gateway/exchange.ts";
import { readWhole } from "../../src/gateway/http/body.ts";
import { PROVIDERS } from "../../src/gateway/providers.ts";
import { createUpstream, type Upstream } from "../../src/gateway/upstream.ts";
import { ANTHROPIC_WIRE } from "../../src/gateway/wires/anthropic.ts";
import { standingGateway } from "../support/gateway/fixture.ts";
import { fakeProvider, type Reply, stream } from "../support/gateway/upstream.ts";

const CANDIDATE = { provider: "anthropic", model: "m" };
const NEVER = new AbortController().signal;
const body = { model: "m", max_tokens: 100, stream: true };
const CALL: ModelCall = {
  wire: ANTHROPIC_WIRE,
  path: "/v1/messages",
  headers: { "content-type": "application/json" },
  body,
  bytes: Buffer.from(JSON.stringify(body)),
  facts: { model: "m", streams: true, maxOutput: 100, copies: 1, cache: "none", unseen: 0 },
};

function upstreamTo(url: string, idleMs = 5000): Upstream {
  const upstream = createUpstream({
    providers: { anthropic: { ...PROVIDERS["anthropic"], baseUrl: url } as (typeof PROVIDERS)[string] },
    keys: new Map([["anthropic", "sk"]]),
    idleMs,
  });
  onTestFinished(() => upstream.close());
  return upstream;
}

function send(url: string, signal = NEVER, idleMs = 5000): Promise<ProviderAnswer> {
  return upstreamTo(url, idleMs).send(CALL, CANDIDATE, signal);
}

const MANY_BYTES = 64 * 1024 * 1024;
const PIECE = Buffer.from(`data: ${"x".repeat(8190)}\n\n`);

test("a provider is heard only as fast as the client reads, and nothing is lost", async () => {
  let written = 0;
  const provider = await fakeProvider((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      while (written < MANY_BYTES) {
        written += PIECE.length;
        if (!response.write(PIECE)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  const { url, token } = await standingGateway({ upstream: provider.url });
  const init = { method: "POST", headers: { "x-api-key": token }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/v1/messages`, init);
  let before = -1;
  while (written !== before) {
    before = written;
    await sleep(100);
  }
  // The buffers of five sockets, and ours.
  expect(written).toBeLessThan(MANY_BYTES / 2);
  let read = 0;
  for await (const chunk of answer.body ?? []) read += (chunk as Uint8Array).length;
  expect(read).toBe(written);
  expect(written).toBeGreaterThanOrEqual(MANY_BYTES);
});

test.each([
  ["a connection that is kept", {}],
  ["a connection that ends with it", { connection: "close" }],
])("an answer that breaks off on %s is not whole", async (_, headers: Record<string, string>) => {
  const provider = await fakeProvider((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    response.write("data: {}\n\n", () => response.socket?.end());
  });
  const { body: answer } = await send(provider.url);
  await expect(readWhole(answer, 1000)).rejects.toThrow();
});

test("an answer that breaks off before anybody reads it harms nobody", async () => {
  const provider = await fakeProvider(stream(["data: {}\n\n"], "cut"));
  const { body: answer } = await send(provider.url);
  await expect.poll(() => answer.destroyed).toBe(true);
  await expect(readWhole(answer, 1000)).rejects.toThrow();
});

const SILENT: Reply = () => undefined;

test("a provider that says nothing is given up, and may have been paid", async () => {
  const { url } = await fakeProvider(SILENT);
  await expect(send(url, NEVER, 50)).rejects.toMatchObject({ message: "no byte came for 50 ms", maySpend: true });
});

test("a provider that stops in the middle is given up", async () => {
  const provider = await fakeProvider((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\n\n");
  });
  const { body: answer } = await send(provider.url, NEVER, 50);
  await expect(readWhole(answer, 1000)).rejects.toThrow();
});

test("a call that nobody waits for is ended at the provider, and may have been paid", async () => {
  let ended = 0;
  const provider = await fakeProvider((_asked, response) => {
    response.once("close", () => {
      ended += 1;
    });
  });
  const leave = new AbortController();
  const sent = send(provider.url, leave.signal);
  await expect.poll(() => provider.asked.length).toBe(1);
  leave.abort();
  await expect(sent).rejects.toMatchObject({ maySpend: true });
  await expect.poll(() => ended).toBe(1);
});

test("a call that was left before it could be sent is never sent, and costs nothing", async () => {
  const provider = await fakeProvider(SILENT);
  const leave = new AbortController();
  const sent = send(provider.url, leave.signal);
  await import("undici");
  await Promise.resolve();
  leave.abort();
  await expect(sent).rejects.toMatchObject({ maySpend: false });
  await sleep(50);
  expect(provider.asked).toEqual([]);
  await expect(send(provider.url, AbortSignal.abort())).rejects.toMatchObject({ maySpend: false });
});

test("what a provider says before its answer is not the answer, and a name that comes twice has both values", async () => {
  const server: Server = createServer((_request, response) => {
    response.writeProcessing();
    response.writeHead(200, { "content-type": "application/json", "x-request-id": ["a", "b"] });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const answer = await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect([answer.status, answer.headers["x-request-id"]]).toEqual([200, "a, b"]);
  expect(String(await readWhole(answer.body, 1000))).toBe("{}");
});

test.each([
  ["is used again while it stays", 600, 1],
  ["is left before it closes", 1, 2],
])("a connection that the provider keeps for some time %s", async (_, seconds, connections) => {
  const ports = new Set<number | undefined>();
  const provider = await fakeProvider((_asked, response, { socket }) => {
    ports.add(socket.remotePort);
    response.writeHead(200, { "content-type": "application/json", "keep-alive": `timeout=${seconds}` });
    response.end("{}");
  });
  const upstream = upstreamTo(provider.url);
  for (let call = 0; call < 2; call += 1) {
    await readWhole((await upstream.send(CALL, CANDIDATE, NEVER)).body, 1000);
    await sleep(50);
  }
  expect(ports.size).toBe(connections);
});

test("a connection that the provider has ended meanwhile is not used, and nothing is charged for it", async () => {
  let last: Socket | null = null;
  const provider = await fakeProvider((_asked, response, { socket }) => {
    last = socket;
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  });
  const upstream = upstreamTo(provider.url);
  for (const end of ["resetAndDestroy", "destroy"] as const) {
    await readWhole((await upstream.send(CALL, CANDIDATE, NEVER)).body, 1000);
    // In the same turn: nobody here can know yet that it is gone.
    (last as Socket | null)?.[end]();
    const again = await upstream.send(CALL, CANDIDATE, NEVER).catch((error: unknown) => error);
    if (again instanceof UpstreamError) expect(again.maySpend).toBe(false);
    else await readWhole((again as ProviderAnswer).body, 1000);
  }
});

test("the gateway never ends a connection of a client that may be about to use it", async () => {
  const { gateway, url, token } = await standingGateway({ upstream: "http://127.0.0.1:9" });
  const waits = await new Promise((resolve) => {
    void gateway.listenAt(async (server) => {
      resolve(server.keepAliveTimeout);
      return "";
    });
  });
  expect(waits).toBe(0);
  const answer = await fetch(`${url}/nothing`, { headers: { "x-api-key": token } });
  expect([answer.status, answer.headers.get("keep-alive")]).toEqual([404, null]);
});

test("a client has the headers of an answer while the model still thinks", async () => {
  let speak = (): void => undefined;
  const provider = await fakeProvider((_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    speak = () => response.end("data: {}\n\n");
  });
  const { url, token } = await standingGateway({ upstream: provider.url });
  const init = { method: "POST", headers: { "x-api-key": token }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/v1/messages`, init);
  speak();
  expect([answer.status, await answer.text()]).toEqual([200, "data: {}\n\n"]);
});
