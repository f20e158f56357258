import { type AddressInfo, connect, createServer } from "node:net";
import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { benchOf } from "../../../../test/support/tools/toolbox-fixture.ts";
import { internetOf, PUBLIC, startSite, startVictim } from "../../../../test/support/tools/web-fixture.ts";
import { createEgressBroker } from "../../../adapters/egress/broker.ts";
import { readBody } from "./body.ts";

const NETWORK = internetOf({ "site.test": [[PUBLIC]] });
const decide = async () => ({ answer: "allow" }) as const;
const MEGABYTE = 1024 * 1024;

function bench(fetchMs = 3000) {
  return benchOf({ root: "/nowhere", network: NETWORK, decide, fetchMs });
}

describe("T5: web_fetch", () => {
  test("gets a page with GET, looks with HEAD and sends with POST", async () => {
    const port = await startSite((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => {
        response.setHeader("content-type", "text/plain; charset=iso-8859-1");
        if (request.method === "HEAD") response.setHeader("content-encoding", "gzip");
        response.end(
          Buffer.from(`${request.method} ${request.headers["content-type"] ?? "-"} ${body} \u00e9`, "latin1"),
        );
      });
    });
    const { output, error } = bench();
    const url = `http://site.test:${port}/`;
    expect(await output("web_fetch", { url })).toEqual({
      url,
      status: 200,
      content_type: "text/plain; charset=iso-8859-1",
      text: "GET -  é",
      bytes: 8,
      truncated: false,
      redirects: 0,
    });
    expect(await output("web_fetch", { url, method: "HEAD" })).toMatchObject({ text: "", bytes: 0 });
    expect(await output("web_fetch", { url, method: "POST", body: "x", content_type: "text/x" })).toMatchObject({
      text: "POST text/x x é",
    });
    expect(await error("web_fetch", { url, body: "x" })).toContain("only POST has a body");
  });

  it.each([
    ["bytes", (size: number) => ({ body: Buffer.alloc(size, "a"), encoding: undefined })],
    ["gzip", (size: number) => ({ body: gzipSync(Buffer.alloc(size, "a")), encoding: "gzip" })],
    ["deflate", (size: number) => ({ body: deflateSync(Buffer.alloc(size, "a")), encoding: "Deflate" })],
    ["br", (size: number) => ({ body: brotliCompressSync(Buffer.alloc(size, "a")), encoding: "br" })],
  ])("reads 1 MiB and not a byte more: %s", async (_kind, make) => {
    const port = await startSite((request, response) => {
      const { body, encoding } = make(Number(request.url?.slice(1)));
      if (encoding !== undefined) response.setHeader("content-encoding", encoding);
      response.on("error", () => undefined);
      response.end(body);
    });
    const { output } = bench();
    for (const [size, bytes] of [
      [MEGABYTE, MEGABYTE],
      [MEGABYTE + 1, MEGABYTE],
      [40 * MEGABYTE, MEGABYTE],
    ] as const)
      expect(await output("web_fetch", { url: `http://site.test:${port}/${size}` })).toMatchObject({
        bytes,
        text: "a".repeat(120_000),
        truncated: true,
      });
    const { body, encoding } = make(MEGABYTE);
    expect(await readBody(Readable.from([body]), encoding ?? "", MEGABYTE)).toMatchObject({ isCut: false });
    expect(await readBody(Readable.from([body]), encoding ?? "", MEGABYTE - 1)).toMatchObject({ isCut: true });
  });

  test("refuses encodings that it does not know, and bytes that do not fit theirs", async () => {
    const port = await startSite((request, response) => {
      response.setHeader("content-encoding", decodeURIComponent(String(request.url?.slice(1))));
      response.end("plain");
    });
    const { error } = bench();
    for (const name of ["zstd", "gzip, gzip", "compress"])
      expect(await error("web_fetch", { url: `http://site.test:${port}/${encodeURIComponent(name)}` })).toContain(
        "is not supported",
      );
    expect(await error("web_fetch", { url: `http://site.test:${port}/gzip` })).toContain("incorrect header check");
  });

  test("T5: follows five redirects and no sixth, and carries a body on only where that is asked for", async () => {
    const port = await startSite((request, response) => {
      const left = Number(request.url?.slice(1).split("-")[0]);
      const status = Number(request.url?.split("-")[1] ?? 302);
      if (left === 0) request.on("data", () => undefined).on("end", () => response.end(`${request.method}`));
      else response.writeHead(status, { location: `/${left - 1}-${status}` }).end();
    });
    const { output, error } = bench();
    expect(await output("web_fetch", { url: `http://site.test:${port}/5` })).toMatchObject({
      redirects: 5,
      text: "GET",
    });
    expect(await error("web_fetch", { url: `http://site.test:${port}/6` })).toContain("it leads on more than 5 times");
    for (const [status, method] of [
      [301, "GET"],
      [303, "GET"],
      [307, "POST"],
      [308, "POST"],
    ] as const)
      expect(
        await output("web_fetch", { url: `http://site.test:${port}/1-${status}`, method: "POST", body: "x" }),
      ).toMatchObject({ text: method });
  });

  test("gives up on whoever is silent, slow or endless, in its time", async () => {
    const port = await startSite((request, response) => {
      response.on("error", () => undefined);
      if (request.url === "/silent") return;
      response.writeHead(200, request.url === "/huge" ? { "content-length": String(2 ** 40) } : {});
      const timer = setInterval(() => response.write(request.url === "/huge" ? "x".repeat(100_000) : "x"), 5);
      response.on("close", () => clearInterval(timer));
    });
    const { error } = bench(400);
    for (const path of ["silent", "slow"])
      expect(await error("web_fetch", { url: `http://site.test:${port}/${path}` })).toContain("did not answer in time");
    const patient = bench();
    expect(await patient.output("web_fetch", { url: `http://site.test:${port}/huge` })).toMatchObject({
      truncated: true,
    });
    expect(await bench().error("web_fetch", { url: "http://unknown.test/" })).toContain("ENOTFOUND");
  });

  test("takes no more of headers than it should, no text that is none, and shows what is hidden", async () => {
    const port = await startSite((request, response) => {
      if (request.url === "/headers") response.setHeader("x-long", "x".repeat(64 * 1024));
      response.setHeader("content-type", "text/plain; charset=unknown");
      response.end(request.url === "/binary" ? "a\0b" : "safe\u202Etext");
    });
    const { output, error } = bench();
    expect(await output("web_fetch", { url: `http://site.test:${port}/` })).toMatchObject({ text: "safe\\u202etext" });
    expect(await output("web_fetch", { url: `http://site.test:${port}/binary` })).toMatchObject({
      text: null,
      bytes: 3,
    });
    expect(await error("web_fetch", { url: `http://site.test:${port}/headers` })).toContain("Headers Overflow");
  });

  test("goes through the broker behind a wall, and nowhere else", async () => {
    const site = await startSite((_request, response) => void response.end("through"));
    const victim = await startVictim();
    const broker = await createEgressBroker({ socketDir: tempDir() }).open([`${PUBLIC}:${site}`]);
    onTestFinished(async () => void (await broker.close()));
    let passed = 0;
    const bridge = createServer((client) => {
      passed += 1;
      const inner = connect(broker.socketPath);
      client.on("error", () => inner.destroy());
      inner.on("error", () => client.destroy());
      client.pipe(inner).pipe(client);
    });
    await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void bridge.close());
    const proxy = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`;
    const { output, error } = benchOf({ root: "/nowhere", proxy, decide, fetchMs: 3000 });
    expect(await output("web_fetch", { url: `http://${PUBLIC}:${site}/` })).toMatchObject({ text: "through" });
    expect(await error("web_fetch", { url: `http://127.0.0.1:${victim.port}/` })).toContain("403");
    expect(passed).toBe(2);
    expect(victim.seen()).toEqual({ connections: 0, bytes: 0 });
  });
});
