/** The contract of MCP servers and of what is kept of them. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPawlError } from "../../src/base/errors.ts";
import type { McpPin, McpPins, McpServers, McpSession } from "../../src/ports/agents/mcp-servers.ts";
import { badServer, honestServer, specOf } from "../support/mcp/servers.ts";
import { makeFolder, processesWith, RUN, removeFolders } from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";

const NEVER = new AbortController().signal;

export function mcpServersContract(name: string, create: (root: string, startMs?: number) => McpServers): void {
  describe(`McpServers contract: ${name}`, () => {
    let root: string;
    let session: McpSession | null = null;
    beforeEach(() => {
      root = makeFolder();
      writeFileSync(join(root, "readme"), "x");
    });
    afterEach(async () => {
      await session?.close();
      session = null;
      removeFolders();
    });

    const open = async (change: Parameters<typeof honestServer>[1] = {}): Promise<McpSession> => {
      session = await create(root).open(honestServer(root, change), RUN, NEVER);
      return session;
    };
    const failureOf = async (work: Promise<unknown>): Promise<string> => {
      const error: unknown = await work.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      return isPawlError(error) ? `${error.code} ${error.message}` : String(error);
    };

    it("tells every tool with its schema, through whatever else the server prints", async () => {
      const { server, tools } = await open();
      expect(server).toBe("honest");
      expect(tools.map((tool) => tool.name)).toEqual([
        "die",
        "fail",
        "flood",
        "grow",
        "look",
        "picture",
        "say.hello",
        "sum",
        "wait",
      ]);
      expect(tools.find((tool) => tool.name === "say.hello")).toMatchObject({
        ...{ description: "Says hello.", output: null },
        input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      });
      expect(tools.find((tool) => tool.name === "sum")?.output).toMatchObject({ type: "object" });
    });

    it("calls a tool, and gives what it gave", async () => {
      const { call } = await open();
      expect(await call("say.hello", { name: "ada" }, NEVER)).toEqual({
        ok: true,
        text: "hello ada",
        value: null,
        cut: 0,
      });
      expect(await call("sum", { a: 1, b: 2 }, NEVER)).toEqual({ ok: true, text: "3", value: { sum: 3 }, cut: 0 });
      expect(await call("picture", {}, NEVER)).toMatchObject({
        ok: true,
        text: "[image image/png, 3 B: not shown]\ndone",
      });
      expect(await call("fail", {}, NEVER)).toEqual({ ok: false, error: "it is broken" });
      expect(await call("none", {}, NEVER)).toMatchObject({ ok: false });
    });

    it("cuts what is too much, and says how much is missing", async () => {
      const { call } = await open();
      const answer = await call("flood", { bytes: 500_000 }, NEVER);
      if (!answer.ok) throw new Error(answer.error);
      expect(answer.text.length).toBeLessThan(70_000);
      expect(answer.text).toMatch(/^ax+\n\[\d+ bytes left out here\]\nx+z$/);
      expect(answer.cut).toBe(500_002 - 65_536);
    });

    it("shows the server the project read-only, without our state and without the environment of the user", async () => {
      const { call } = await open({ env: [["OWN", "yes"]] });
      const answer = await call("look", {}, NEVER);
      expect(answer.ok && JSON.parse(answer.text)).toEqual({
        wrote: false,
        state: false,
        file: true,
        key: null,
        own: "yes",
      });
      expect(existsSync(join(root, "made-by-server"))).toBe(false);
    });

    it("ends a call that takes too long or is cancelled, and the server serves on", async () => {
      const { call } = await open({ timeoutMs: 300 });
      expect(await call("wait", {}, NEVER)).toMatchObject({ ok: false });
      const control = new AbortController();
      const cancelled = call("wait", {}, control.signal);
      control.abort();
      expect(await cancelled).toMatchObject({ ok: false });
      expect(await call("say.hello", { name: "b" }, NEVER)).toMatchObject({ ok: true, text: "hello b" });
    });

    it("notices when the server says that its tools have changed", async () => {
      const { call, hasChanged } = await open();
      expect(hasChanged()).toBe(false);
      await call("grow", {}, NEVER);
      await call("say.hello", { name: "a" }, NEVER);
      expect(hasChanged()).toBe(true);
    });

    it("answers with the end of a server that dies, and every call after it", async () => {
      const { call } = await open();
      expect(await call("die", {}, NEVER)).toMatchObject({
        ok: false,
        error: expect.stringContaining("exited with code 7"),
      });
      expect(await call("say.hello", { name: "a" }, NEVER)).toMatchObject({ ok: false });
    });

    it("leaves nothing running, however often it is closed", async () => {
      const opened = await open({ argv: ["node", "server.mjs", "mcp-unique-4711"] });
      expect(processesWith("mcp-unique-4711").length).toBeGreaterThan(0);
      await Promise.all([opened.close(), opened.close()]);
      expect(processesWith("mcp-unique-4711")).toEqual([]);
    });

    it.each([
      ["ends", /no licence/],
      ["long", /a line of more than 8 MiB/],
      ["noisy", /more than 1 MiB that are no messages/],
      ["curious", /more than 1 MiB of questions/],
    ] as const)("refuses a server that is %s, with the reason, and ends it", async (kind, reason) => {
      const told = await failureOf(create(root).open(badServer(root, kind), RUN, NEVER));
      expect(told).toMatch(/^MCP_SERVER_FAILED The MCP server /);
      expect(told).toMatch(reason);
      expect(processesWith(`mcp-${kind}`)).toEqual([]);
    });

    it("gives a server one time for its whole start, however many pages its list has", async () => {
      const from = performance.now();
      const told = await failureOf(create(root, 1500).open(badServer(root, "slow"), RUN, NEVER));
      expect(told).toMatch(/^MCP_SERVER_FAILED .*it has not told its tools within 1\.5 s/);
      expect(performance.now() - from).toBeLessThan(5000 * slowness());
      expect(processesWith("mcp-slow")).toEqual([]);
    });

    it("refuses a server that never answers, and one that cannot be started", async () => {
      const servers = create(root, 700);
      expect(await failureOf(servers.open(badServer(root, "silent"), RUN, NEVER))).toMatch(/^MCP_SERVER_FAILED/);
      expect(await failureOf(servers.open(badServer(root, "stubborn"), RUN, NEVER))).toMatch(/^MCP_SERVER_FAILED/);
      expect(processesWith("mcp-stubborn")).toEqual([]);
      expect(await failureOf(servers.open(specOf(["no-such-server"]), RUN, NEVER))).toMatch(/no such program/);
      expect(await failureOf(servers.open(badServer(root, "silent"), RUN, AbortSignal.abort()))).toMatch(
        /^MCP_SERVER_FAILED/,
      );
    });
  });
}

export function mcpPinsContract(name: string, create: () => McpPins): void {
  describe(`McpPins contract: ${name}`, () => {
    afterEach(removeFolders);
    const pin: McpPin = {
      ...{ server: "search", declaration: "d", digest: "t", by: "ada", at: 5 },
      tools: [{ name: "a", description: "é", input: { type: "object" }, output: null }],
    };

    it("has none until one was written, and then the last one", async () => {
      const pins = create();
      expect(await pins.read("search")).toBeNull();
      await pins.write(pin);
      await pins.write({ ...pin, by: "bob" });
      expect(await pins.read("search")).toEqual({ ...pin, by: "bob" });
      expect(await pins.read("other")).toBeNull();
    });
  });
}
