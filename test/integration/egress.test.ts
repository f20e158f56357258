/** The broker against clients that are slow, huge, many, or ahead of themselves, and hosts that break off. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { connect, createServer as createNetServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEgressBroker } from "../../src/adapters/egress/broker.ts";
import type { Connect } from "../../src/adapters/egress/dial.ts";
import type { EgressLimits } from "../../src/adapters/egress/limits.ts";
import { createRefusals } from "../../src/adapters/egress/refusals.ts";
import type { EgressDoor } from "../../src/ports/egress.ts";
import { egressContract } from "../contract/egress.contract.ts";
import {
  connectStatus,
  echoServer,
  exchange,
  get,
  nextChunk,
  openTunnel,
  statusOf,
  webServer,
} from "../support/egress-client.ts";
import { slowness } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";

egressContract("broker", () => createEgressBroker({ socketDir: tempDir() }));

async function open(
  hosts: readonly string[],
  change: Partial<Parameters<typeof createEgressBroker>[0]> & { limits?: Partial<EgressLimits> } = {},
): Promise<EgressDoor> {
  const door = await createEgressBroker({ socketDir: tempDir(), ...change }).open(hosts);
  onTestFinished(async () => void (await door.close()));
  return door;
}

/** Public addresses that are really ports on this machine. */
function madeUpInternet(hosts: Readonly<Record<string, { readonly address: string; readonly port: number }>>) {
  const dial: Connect = (address) =>
    new Promise((resolve, reject) => {
      const found = Object.values(hosts).find((host) => host.address === address);
      const socket = connect(found?.port ?? 1, "127.0.0.1", () => resolve({ socket, remoteAddress: address }));
      socket.on("error", reject);
    });
  return {
    connect: dial,
    resolve: async (name: string) => {
      const found = hosts[name];
      if (found === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
      return [found.address];
    },
  };
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as { port: number }).port;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const GET = (url: string, more = ""): string => `GET ${url} HTTP/1.1\r\nHost: other.test\r\n${more}\r\n`;

describe("an allowed host", () => {
  it("is reached by its name, and gets the request without what is about the proxy", async () => {
    const web = await webServer("a");
    const door = await open(
      ["a.example.org"],
      madeUpInternet({ "a.example.org": { address: "1.1.1.1", port: web.port } }),
    );
    const secret = "Proxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\nX-Mine: 1\r\nX-Drop: 2\r\n";
    const answer = await get(
      door.socketPath,
      "http://A.example.org/p?q=%20",
      `${secret}Connection: x-drop\r\nTE: gzip\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nhello from a$/);
    expect(answer).not.toContain("timeout=99");
    expect(web.requests).toEqual([
      { method: "GET", url: "/p?q=%20", headers: ["Host", "a.example.org", "X-Mine", "1", "Connection", "close"] },
    ]);
    expect(await door.close()).toEqual([]);
  });

  it("gets bodies of known and of unknown length, whole", async () => {
    const web = await webServer("a");
    const host = `127.0.0.1:${web.port}`;
    const { socketPath } = await open([host]);
    const post = (framing: string, body: string, method = "POST"): Promise<string> =>
      exchange(
        socketPath,
        `${method} http://${host}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${framing}\r\n${body}`,
      );
    const long = "x".repeat(300_000);
    for (const [framing, body] of [
      [`Content-Length: ${long.length}\r\n`, long],
      [`Connection: content-length\r\nContent-Length: 3\r\n`, "abc"],
      ["Transfer-Encoding: chunked\r\n", `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`],
      ["Expect: 100-continue\r\nContent-Length: 2\r\n", "ok"],
      ["", ""],
    ] as const) {
      expect(await post(framing, body)).toMatch(/HTTP\/1\.1 200 OK[\s\S]*hello from a$/);
    }
    expect(await post("Connection: content-length\r\nContent-Length: 3\r\n", "abc", "GET")).toContain("hello from a");
    expect(await post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n", "DELETE")).toContain("hello from a");
    expect(web.bodies).toEqual([long, "abc", long, "ok", "", "abc", "abc"]);
  });

  it("has its answer passed on as it is: status, body, repeated headers, no body at all", async () => {
    const port = await listen(
      createServer((request, response) => {
        if (request.url === "/none") response.writeHead(204).end();
        else
          response
            .writeHead(418, "Short And Stout", { "Set-Cookie": ["a=1", "b=2"], "X-Long": "y".repeat(2000) })
            .end("tea");
      }),
    );
    const { socketPath } = await open([`127.0.0.1:${port}`]);
    const answer = await get(socketPath, `http://127.0.0.1:${port}/`);
    expect(answer).toMatch(/^HTTP\/1\.1 418 Short And Stout\r\n/);
    expect(answer.match(/Set-Cookie: \w=\d/g)).toEqual(["Set-Cookie: a=1", "Set-Cookie: b=2"]);
    expect(answer).toContain("tea");
    expect(await get(socketPath, `http://127.0.0.1:${port}/none`)).toMatch(/^HTTP\/1\.1 204 /);
    expect(
      await exchange(socketPath, `HEAD http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 418 [\s\S]*\r\n\r\n$/);
  });

  it("is dialled at the next address when the first does not answer", async () => {
    const echo = await echoServer();
    const real = madeUpInternet({ b: { address: "1.1.1.2", port: echo.port } });
    const tried: string[] = [];
    const { socketPath } = await open(["b.example.org"], {
      resolve: async () => ["1.1.1.1", "1.1.1.2"],
      connect: (address, port, signal) => {
        tried.push(address);
        return real.connect(address, port, signal);
      },
    });
    expect(await connectStatus(socketPath, "b.example.org:443")).toBe(200);
    expect(tried).toEqual(["1.1.1.1", "1.1.1.2"]);
  });

  it("that cannot be reached is a failure of the network, not a refusal", async () => {
    const door = await open(["gone.example.org", "127.0.0.1:1"], madeUpInternet({}));
    expect(await connectStatus(door.socketPath, "gone.example.org:443")).toBe(502);
    expect(await get(door.socketPath, "http://gone.example.org/")).toMatch(
      /502 [\s\S]*cannot be resolved: ENOTFOUND\n$/,
    );
    expect(await connectStatus(door.socketPath, "127.0.0.1:1")).toBe(502);
    expect(await door.close()).toEqual([]);
  });

  it("that redirects somewhere else leads the client back to the gate", async () => {
    const inner = await webServer("inner");
    const port = await listen(
      createServer((_request, response) =>
        response.writeHead(302, { Location: `http://127.0.0.1:${inner.port}/` }).end(),
      ),
    );
    const { socketPath } = await open([`127.0.0.1:${port}`]);
    const answer = await get(socketPath, `http://127.0.0.1:${port}/`);
    const location = /Location: (\S+)/.exec(answer)?.[1] ?? "";
    expect(statusOf(await get(socketPath, location))).toBe(403);
    expect(inner.requests).toEqual([]);
  });

  it.each([
    ["nonsense", "hello, I am no web server\r\n\r\n"],
    ["nothing", ""],
    [
      "an upgrade nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes",
    ],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a header of 100 KB", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}\r\n\r\n`],
  ])("that answers with %s costs one request", async (_what, bytes) => {
    const port = await listen(
      createNetServer((socket) => {
        socket.once("data", () => socket.end(bytes));
      }),
    );
    const { socketPath } = await open([`127.0.0.1:${port}`]);
    expect(statusOf(await get(socketPath, `http://127.0.0.1:${port}/`))).toBe(502);
    expect(statusOf(await get(socketPath, "http://example.org/"))).toBe(403);
  });

  it("that breaks off in the middle is seen to do so", async () => {
    const port = await listen(
      createServer((_request, response) => {
        response.writeHead(200, { "Content-Length": 1000 });
        response.write("part");
        setTimeout(() => response.destroy(), 20);
      }),
    );
    const { socketPath } = await open([`127.0.0.1:${port}`]);
    expect(await get(socketPath, `http://127.0.0.1:${port}/`)).toMatch(/200 OK[\s\S]*part$/);
  });
});

describe("a tunnel", () => {
  it("carries bytes both ways, also those sent ahead, and every value of a byte", async () => {
    const echo = await echoServer();
    const { socketPath } = await open([`127.0.0.1:${echo.port}`]);
    const ahead = await exchange(socketPath, `CONNECT 127.0.0.1:${echo.port} HTTP/1.1\r\n\r\nsent ahead`, (text) =>
      text.endsWith("sent ahead"),
    );
    expect(ahead).toBe("HTTP/1.1 200 Connection Established\r\n\r\nsent ahead");
    const tunnel = await openTunnel(socketPath, `127.0.0.1:${echo.port}`);
    const all = Buffer.from(Array.from({ length: 256 * 4000 }, (_, n) => (n * 7 + (n >> 8)) & 255));
    tunnel.end(all);
    const back: Buffer[] = [];
    tunnel.on("data", (chunk: Buffer) => back.push(chunk));
    tunnel.resume();
    await new Promise((resolve) => tunnel.once("end", resolve));
    expect(Buffer.concat(back).equals(all)).toBe(true);
    await until(() => echo.open() === 0);
  });

  it("ends on both sides when either side is gone", async () => {
    const echo = await echoServer();
    const { socketPath } = await open([`127.0.0.1:${echo.port}`]);
    const left = await openTunnel(socketPath, `127.0.0.1:${echo.port}`);
    left.destroy();
    await until(() => echo.open() === 0);
    const port = await listen(createNetServer((socket) => void setTimeout(() => socket.resetAndDestroy(), 10)));
    const other = await open([`127.0.0.1:${port}`]);
    const tunnel = await openTunnel(other.socketPath, `127.0.0.1:${port}`);
    tunnel.resume();
    await new Promise((resolve) => tunnel.once("end", resolve));
  });

  it("that is idle is ended, one that is used is not", async () => {
    const echo = await echoServer();
    const { socketPath } = await open([`127.0.0.1:${echo.port}`], { limits: { idleTimeoutMs: 1000 } });
    const [idle, used] = [
      await openTunnel(socketPath, `127.0.0.1:${echo.port}`),
      await openTunnel(socketPath, `127.0.0.1:${echo.port}`),
    ];
    let isEnded = false;
    idle.once("end", () => {
      isEnded = true;
    });
    idle.resume();
    // It is used all the time, so that a busy machine does not make it idle.
    while (!isEnded) {
      used.write("x");
      expect(String(await nextChunk(used))).toBe("x");
    }
    used.write("x");
    expect(String(await nextChunk(used))).toBe("x");
    used.destroy();
    await until(() => echo.open() === 0);
  });
});

describe("a client", () => {
  it("that keeps its connection has every request checked", async () => {
    const [a, b] = [await webServer("a"), await webServer("b")];
    const door = await open(
      ["a.example.org"],
      madeUpInternet({
        "a.example.org": { address: "1.1.1.1", port: a.port },
        "b.example.org": { address: "1.1.1.2", port: b.port },
      }),
    );
    const all = [
      GET("http://a.example.org/1"),
      GET("http://b.example.org/2"),
      GET("/3"),
      GET("http://a.example.org/4", "Host: b.example.org\r\n"),
      GET("http://a.example.org/5"),
      `CONNECT b.example.org:443 HTTP/1.1\r\n\r\n`,
    ];
    const answer = await exchange(door.socketPath, all.join(""));
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      "200",
      "403",
      "403",
      "200",
      "200",
      "403",
    ]);
    expect(a.requests.map(({ url, headers }) => [url, headers[1]])).toEqual([
      ["/1", "a.example.org"],
      ["/4", "a.example.org"],
      ["/5", "a.example.org"],
    ]);
    expect(b.requests).toEqual([]);
    expect((await door.close()).map(({ host, port }) => `${host}:${port}`)).toEqual([
      "b.example.org:80",
      "/3:0",
      "b.example.org:443",
    ]);
  });

  it("that hides a request in the body of another reaches nobody with it", async () => {
    const web = await webServer("a");
    const host = `127.0.0.1:${web.port}`;
    const door = await open([host]);
    const hidden = GET(`http://evil.test/`);
    for (const framing of [
      `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`,
      `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n`,
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      `Content-Length: +${hidden.length}\r\n`,
      "Transfer-Encoding : chunked\r\n",
    ]) {
      const answer = await exchange(
        door.socketPath,
        `POST http://${host}/ HTTP/1.1\r\nHost: x\r\n${framing}\r\n0\r\n\r\n${hidden}`,
      );
      expect([framing, statusOf(answer)]).toEqual([framing, expect.toSatisfy((status: number) => status >= 400)]);
    }
    expect(web.requests).toEqual([]);
  });

  it.each(["TRACE", "PROPFIND", "LINK", "PURGE"])("may not use the method %s", async (method) => {
    const web = await webServer("a");
    const { socketPath } = await open([`127.0.0.1:${web.port}`]);
    const answer = await exchange(
      socketPath,
      `${method} http://127.0.0.1:${web.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(403);
    expect(web.requests).toEqual([]);
  });

  it.each(["https", "ftp", "file", "data", "HTTP", "ws", "gopher", "javascript", "unix"])(
    "may not use %s:",
    async (scheme) => {
      const web = await webServer("a");
      const { socketPath } = await open([`127.0.0.1:${web.port}`]);
      expect([400, 403]).toContain(statusOf(await get(socketPath, `${scheme}://127.0.0.1:${web.port}/`)));
      expect(web.requests).toEqual([]);
    },
  );

  it("has as many connections as it may, and no more until one ends", async () => {
    const echo = await echoServer();
    const authority = `127.0.0.1:${echo.port}`;
    const { socketPath } = await open([authority]);
    const tunnels: Socket[] = [];
    for (let n = 0; n < 64; n += 1) tunnels.push(await openTunnel(socketPath, authority));
    expect(await connectStatus(socketPath, authority)).toBe(0);
    expect(echo.open()).toBe(64);
    tunnels[0]?.destroy();
    await until(() => echo.open() === 63);
    expect(await connectStatus(socketPath, authority)).toBe(200);
    expect(await connectStatus((await open([authority])).socketPath, authority)).toBe(200);
  });

  it("that sends requests ahead has one connection out at a time, and few waiting", async () => {
    let [now, most, total] = [0, 0, 0];
    const port = await listen(
      createServer((_request, response) => {
        now += 1;
        total += 1;
        most = Math.max(most, now);
        setTimeout(() => {
          now -= 1;
          response.end();
        }, 5);
      }),
    );
    const { socketPath } = await open([`127.0.0.1:${port}`]);
    const url = `http://127.0.0.1:${port}/`;
    const few = await exchange(socketPath, GET(url).repeat(9) + GET(url, "Connection: close\r\n"));
    expect(few.match(/^HTTP\/1\.1 200/gm)).toHaveLength(10);
    expect(most).toBe(1);
    total = 0;
    await exchange(socketPath, GET(url).repeat(5000));
    expect(total).toBeLessThanOrEqual(16);
  });

  it("that sends its headers slowly or never is sent away", async () => {
    const { socketPath } = await open(["example.org"], { limits: { headerTimeoutMs: 100 } });
    const begun = Date.now();
    expect(statusOf(await exchange(socketPath, "CONNECT example.org:443 HTTP/1.1\r\nX-Slow: "))).toBe(408);
    await exchange(socketPath, "");
    expect(Date.now() - begun).toBeLessThan(2000 * slowness());
  });

  it("that sends huge headers is sent away, however they come", async () => {
    const door = await open(["example.org"]);
    const line = `X-Big: ${"x".repeat(1000)}\r\n`;
    expect(statusOf(await exchange(door.socketPath, `GET http://evil.test/ HTTP/1.1\r\n${line.repeat(17)}\r\n`))).toBe(
      431,
    );
    expect(
      statusOf(await exchange(door.socketPath, `GET http://evil.test/${"x".repeat(17_000)} HTTP/1.1\r\n\r\n`)),
    ).toBe(431);
    const endless = await exchange(door.socketPath, `GET http://evil.test/ HTTP/1.1\r\nX: ${"y".repeat(3_000_000)}`);
    expect([0, 431]).toContain(statusOf(endless));
    expect(statusOf(await get(door.socketPath, "http://evil.test/", line.repeat(15)))).toBe(403);
  });

  it("that sends no HTTP at all is sent away", async () => {
    const door = await open(["example.org"]);
    for (const bytes of [
      Buffer.from([5, 1, 0]),
      Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0]),
      "\x16\x03\x01\x02\x00",
      "hello\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]) {
      expect(statusOf(await exchange(door.socketPath, bytes))).toBe(400);
    }
  });

  it("whose door is closed while its host is being looked up causes no connection", async () => {
    let connected = 0;
    let found: (addresses: readonly string[]) => void = () => undefined;
    let asked = false;
    const door = await open(["slow.example.org"], {
      resolve: () => {
        asked = true;
        return new Promise((resolve) => {
          found = resolve;
        });
      },
      connect: () => {
        connected += 1;
        return Promise.reject(new Error("no"));
      },
    });
    const client = connect({ path: door.socketPath });
    client.write("CONNECT slow.example.org:443 HTTP/1.1\r\n\r\n");
    await until(() => asked);
    await door.close();
    found(["1.1.1.1"]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(connected).toBe(0);
    client.destroy();
  });

  it("waits no longer than it must for a host that is silent", async () => {
    const silent = { limits: { connectTimeoutMs: 100 }, resolve: () => new Promise<never>(() => undefined) };
    const { socketPath } = await open(["slow.example.org"], silent);
    expect(await connectStatus(socketPath, "slow.example.org:443")).toBe(502);
    const deaf = await open(["slow.example.org"], {
      limits: { connectTimeoutMs: 100 },
      resolve: async () => ["1.1.1.1"],
      connect: (_address, _port, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("late")))),
    });
    expect(await connectStatus(deaf.socketPath, "slow.example.org:443")).toBe(502);
  });
});

describe("refusals", () => {
  it("are the first hundred different ones, each counted", () => {
    const refusals = createRefusals();
    for (let n = 0; n < 100_000; n += 1) refusals.add({ host: `h${n % 1000}`, port: 1, why: "no" });
    expect(refusals.list()).toHaveLength(100);
    expect(refusals.list()[99]).toEqual({ host: "h99", port: 1, why: "no", times: 100 });
  });
});

describe("the folder of the sockets", () => {
  it("is made for this user only, and narrowed when it is wider", async () => {
    const dir = join(tempDir(), "deep", "s");
    await open([], { socketDir: dir });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    chmodSync(dir, 0o777);
    await open([], { socketDir: dir });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it.each(["a link", "a file", "a long path", "another user's"])("is refused when it is %s", async (what) => {
    const parent = tempDir();
    const dir = join(parent, what === "a long path" ? "x".repeat(80) : "s");
    if (what === "a link") symlinkSync(tempDir(), dir);
    if (what === "a file") writeFileSync(dir, "");
    const place = what === "another user's" && process.getuid?.() !== 0 ? "/" : dir;
    if (what === "another user's" && place === dir) {
      const { chownSync } = await import("node:fs");
      mkdirSync(dir);
      chownSync(dir, 65_534, 65_534);
    }
    await expect(open(["example.org"], { socketDir: place })).rejects.toMatchObject({ code: "SANDBOX_BROKER_FAILED" });
  });

  it("is cleared of what dead processes left, and of nothing else", async () => {
    const dir = tempDir();
    const script = `const s=require("net").createServer();s.listen(process.argv[1],()=>{console.log("up")})`;
    const dead = ["out-00000000000000aa", "new-00000000000000ab", "new-00000000000000ac", "other.sock"];
    for (const name of dead) {
      const child = spawn(process.execPath, ["-e", script, join(dir, name)], { stdio: ["ignore", "pipe", "ignore"] });
      await new Promise((resolve) => child.stdout.once("data", resolve));
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    }
    writeFileSync(join(dir, "out-00000000000000ff"), "a file");
    const living = await open(["example.org"], { socketDir: dir });
    const other = await open(["example.org"], { socketDir: dir });
    expect(
      readdirSync(dir)
        .filter((name) => dead.includes(name))
        .sort(),
    ).toEqual(["new-00000000000000ab", "new-00000000000000ac", "other.sock"]);
    expect(await connectStatus(living.socketPath, "evil.test:443")).toBe(403);
    await other.close();
    expect(existsSync(living.socketPath)).toBe(true);
    utimesSync(join(dir, "new-00000000000000ab"), new Date(0), new Date(0));
    await open([], { socketDir: dir });
    expect(
      readdirSync(dir)
        .filter((name) => /0000/.test(name))
        .sort(),
    ).toEqual(["new-00000000000000ac", "out-00000000000000ff"]);
  });

  it("keeps the socket of a process that is alive but answers nobody", async () => {
    const dir = tempDir();
    const path = join(dir, "out-00000000000000aa");
    const script = `require("net").createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log("up"))`;
    const child = spawn(process.execPath, ["-e", script, path], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGSTOP");
    const waiting = Array.from({ length: 5 }, () => connect({ path }).on("error", () => undefined));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await open([], { socketDir: dir });
    expect(existsSync(path)).toBe(true);
    for (const socket of waiting) socket.destroy();
  });

  it("holds nothing after the last door was closed, however many there were at once", async () => {
    const dir = tempDir();
    const egress = createEgressBroker({ socketDir: dir });
    const doors = await Promise.all(Array.from({ length: 30 }, () => egress.open(["example.org"])));
    expect(new Set(doors.map(({ socketPath }) => socketPath)).size).toBe(30);
    expect(await Promise.all(doors.map(({ socketPath }) => connectStatus(socketPath, "evil.test:1")))).toEqual(
      Array(30).fill(403),
    );
    await Promise.all(doors.map((door) => door.close()));
    expect(readdirSync(dir)).toEqual([]);
  });
});
