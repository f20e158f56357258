/** A program behind a real wall with the real broker as its only way out. */
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEgressBroker } from "../../src/adapters/egress/broker.ts";
import { webServer } from "../support/egress-client.ts";
import { bubblewrap, programOf, runEnclosed } from "../support/sandbox-fixture.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Behind the wall: asks for each address, by the proxy of its environment or directly, and follows redirects. */
const CLIENT = `
const http = require("node:http"), net = require("node:net");
const proxy = new URL(process.env.HTTP_PROXY);
const byProxy = (url, hops = 0) => new Promise((done) => {
  http.get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host }, agent: false }, (answer) => {
    let body = "";
    answer.on("data", (text) => { body += text; });
    answer.on("end", () => answer.headers.location && hops < 5
      ? byProxy(answer.headers.location, hops + 1).then(done)
      : done(answer.statusCode + " " + body.trim().slice(0, 40)));
  }).on("error", (error) => done(error.code));
});
const byTunnel = (to) => new Promise((done) => {
  http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: to, agent: false }).on("connect", (answer, socket) => {
    if (answer.statusCode !== 200) return done(String(answer.statusCode));
    let text = "";
    socket.on("data", (chunk) => { text += chunk; });
    socket.on("close", () => done(text.split("\\r\\n\\r\\n")[1]));
    socket.end("GET / HTTP/1.0\\r\\n\\r\\n");
  }).on("error", (error) => done(error.code)).end();
});
const directly = (to) => new Promise((done) => {
  const [host, port] = to.split(":");
  const socket = net.connect(Number(port), host, () => { done("reached"); socket.destroy(); });
  socket.on("error", (error) => done(error.code));
  socket.setTimeout(2000, () => { done("silence"); socket.destroy(); });
});
const ways = { byProxy, byTunnel, directly };
Promise.all(process.argv.slice(1).map((each) => ways[each.split(" ")[0]](each.split(" ")[1]))).then((all) => console.log(JSON.stringify(all)));
`;

async function ask(network: readonly string[], ...wishes: string[]) {
  const socketDir = tempDir();
  const sandbox = bubblewrap({ egress: createEgressBroker({ socketDir }) });
  const outcome = await runEnclosed(sandbox, programOf([process.execPath, "-e", CLIENT, ...wishes], { network }));
  expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
  expect(readdirSync(socketDir)).toEqual([]);
  return { answers: JSON.parse(outcome.stdout) as string[], refused: outcome.refused };
}

describe("a program behind a wall", () => {
  it("reaches the hosts of its list through the broker, and no other in any way", async () => {
    const [listed, other] = [await webServer("listed"), await webServer("other")];
    const [here, there] = [`127.0.0.1:${listed.port}`, `127.0.0.1:${other.port}`];
    const { answers, refused } = await ask(
      [here],
      ...[`byProxy http://${here}/`, `byTunnel ${here}`, `byProxy http://${there}/`, `byTunnel ${there}`],
      ...[`directly ${here}`, `directly ${there}`, "directly 1.1.1.1:443", "byTunnel evil.test:443"],
    );
    expect(answers).toEqual([
      "200 hello from listed",
      "hello from listed",
      expect.stringMatching(/^403 127\.0\.0\.1:\d+ was refused/),
      "403",
      expect.stringMatching(/^E|silence/),
      expect.stringMatching(/^E|silence/),
      expect.stringMatching(/^E|silence/),
      "403",
    ]);
    expect(other.requests).toEqual([]);
    expect(listed.requests).toHaveLength(2);
    expect([...refused].sort((a, b) => a.port - b.port)).toEqual(
      [
        { host: "evil.test", port: 443, why: "it is not among the hosts of `network`", times: 1 },
        { host: "127.0.0.1", port: other.port, why: "it is not among the hosts of `network`", times: 2 },
      ].sort((a, b) => a.port - b.port),
    );
  });

  it("is stopped again at every hop of a redirect", async () => {
    const inner = await webServer("inner");
    const server = createServer((_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const outer = `127.0.0.1:${(server.address() as { port: number }).port}`;
    const { answers, refused } = await ask([outer], `byProxy http://${outer}/`);
    expect(answers).toEqual([expect.stringMatching(/^403 /)]);
    expect(refused).toEqual([expect.objectContaining({ host: "127.0.0.1", port: inner.port, times: 1 })]);
    expect(inner.requests).toEqual([]);
  });

  it("is not begun when an entry of its list cannot be taken at its word", async () => {
    const socketDir = tempDir();
    const sandbox = bubblewrap({ egress: createEgressBroker({ socketDir }) });
    await expect(sandbox.enclose(programOf(["/bin/true"], { network: ["127.0.0.1"] }))).rejects.toMatchObject({
      code: "SANDBOX_HOST_UNFIT",
    });
    expect(readdirSync(socketDir)).toEqual([]);
  });
});
