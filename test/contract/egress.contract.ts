/** The contract of the Egress port. */
import { existsSync, statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Egress, EgressDoor } from "../../src/ports/egress.ts";
import {
  connectStatus,
  echoServer,
  get,
  nextChunk,
  openTunnel,
  statusOf,
  webServer,
} from "../support/egress-client.ts";

export function egressContract(name: string, create: () => Egress): void {
  const open = async (hosts: readonly string[], egress = create()): Promise<EgressDoor> => {
    const door = await egress.open(hosts);
    onTestFinished(async () => void (await door.close()));
    return door;
  };

  describe(`Egress contract: ${name}`, () => {
    it("gives a socket with a short path, for this user only", async () => {
      const { socketPath } = await open(["example.org"]);
      expect(Buffer.byteLength(socketPath)).toBeLessThan(100);
      expect(statSync(socketPath).isSocket()).toBe(true);
      expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    });

    it("lets through to a listed address: by tunnel and by request", async () => {
      const web = await webServer("web");
      const { socketPath } = await open([`127.0.0.1:${web.port}`]);
      expect(await get(socketPath, `http://127.0.0.1:${web.port}/a?b=1`)).toMatch(
        /^HTTP\/1\.1 200 [\s\S]*hello from web$/,
      );
      const tunnel = await openTunnel(socketPath, `127.0.0.1:${web.port}`);
      tunnel.write("GET /c HTTP/1.0\r\n\r\n");
      expect(String(await nextChunk(tunnel))).toContain("200 OK");
      expect(web.requests.map(({ url }) => url)).toEqual(["/a?b=1", "/c"]);
    });

    it("refuses everything with 403 when nothing is listed", async () => {
      const web = await webServer("web");
      const door = await open([]);
      expect(await connectStatus(door.socketPath, `127.0.0.1:${web.port}`)).toBe(403);
      expect(statusOf(await get(door.socketPath, `http://127.0.0.1:${web.port}/`))).toBe(403);
      expect(web.requests).toEqual([]);
    });

    it("says in one line why, and remembers who was refused and how often", async () => {
      const door = await open(["example.org"]);
      expect(await get(door.socketPath, "http://example.com/")).toMatch(
        /\r\n\r\nexample\.com:80 was refused: [^\n]+\n$/,
      );
      await get(door.socketPath, "http://example.com/other");
      await connectStatus(door.socketPath, "example.org:22");
      const why = expect.stringMatching(/\w/);
      expect(await door.close()).toEqual([
        { host: "example.com", port: 80, why, times: 2 },
        { host: "example.org", port: 22, why, times: 1 },
      ]);
    });

    it("keeps enclosures apart", async () => {
      const web = await webServer("web");
      const egress = create();
      const one = await open([`127.0.0.1:${web.port}`], egress);
      const two = await open([], egress);
      expect(await connectStatus(one.socketPath, `127.0.0.1:${web.port}`)).toBe(200);
      expect(await connectStatus(two.socketPath, `127.0.0.1:${web.port}`)).toBe(403);
      expect(await one.close()).toEqual([]);
      expect(await connectStatus(two.socketPath, `127.0.0.1:${web.port}`)).toBe(403);
      expect(await two.close()).toMatchObject([{ times: 2 }]);
    });

    it("ends what is open when it is closed, and may be closed twice", async () => {
      const echo = await echoServer();
      const door = await open([`127.0.0.1:${echo.port}`]);
      const tunnel = await openTunnel(door.socketPath, `127.0.0.1:${echo.port}`);
      const ended = new Promise((resolve) => tunnel.once("end", resolve));
      tunnel.resume();
      const refused = await door.close();
      await ended;
      expect(refused).toEqual([]);
      expect(await door.close()).toEqual(refused);
      expect(existsSync(door.socketPath)).toBe(false);
      while (echo.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    });

    it.each([
      "",
      "*",
      "*.",
      "*.*.org",
      "a..b",
      ".example.org",
      "example.org.",
      "EXAMPLE.org",
      "exa_mple.org",
      "example.org:0",
      "example.org:65536",
      "example.org:",
      "example.org:80:80",
      "http://example.org",
      "user@example.org",
      "example.org/path",
      "127.1",
      "0x7f.0.0.1:80",
      "2130706433:80",
      "0177.0.0.1:80",
      "0.0.0.0:80",
      "255.255.255.255:80",
      "224.0.0.1:80",
      "[::]:80",
      "[::ffff:127.0.0.1]:80",
      "[::ffff:7f00:1]:80",
      "[fe80::1%lo]:80",
      "[ff02::1]:80",
      "[::1",
      "[0:0:0:0:0:0:0:1]:80",
      "::1",
      "*.127.0.0.1:80",
      "127.0.0.1",
      "10.0.0.1",
      "[::1]",
      "localhost",
      "münchen.de",
    ])("opens no door for an entry that cannot be taken at its word: %j", async (host) => {
      await expect(open(["example.org", host])).rejects.toMatchObject({ code: "SANDBOX_HOST_UNFIT" });
    });
  });
}
