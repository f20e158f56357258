import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { createJumpingClock } from "../../../../test/support/jumping-clock.ts";
import type { Loop, Trigger } from "../../../blueprint/project/project-file.ts";
import type { Firing } from "../firing.ts";
import { createLoopReader, type ServedLoop } from "../served-loop.ts";
import { createHooks } from "./hooks.ts";
import { createWatcher } from "./watcher.ts";

function served(trigger: Trigger): ReadonlyMap<string, ServedLoop> {
  const loop: Loop = {
    ...{ name: "new", source: "a.yaml", kind: "blueprint", level: "L1", params: {}, trigger, catchUp: "one" },
    ...{ jitterMs: 0, priority: 0, lane: "default", paths: [], maxOpen: null, agent: null },
    weight: { memoryBytes: 0, cpus: 0 },
    where: { file: "pawl.yaml", line: 1, column: 1, length: 1 },
  };
  return new Map([["new", createLoopReader()(loop)]]);
}

const tell = (): void => undefined;

function firingInto(delivered: string[]): Firing {
  return {
    submit: async () => undefined,
    isFree: async () => true,
    async deliver({ loop }, slot) {
      delivered.push(`${loop.name} ${slot}`);
      return true;
    },
  };
}

it("a first webhook begins to listen when pawl.yaml was read again, and goes on at the same place", async () => {
  let loops: ReadonlyMap<string, ServedLoop> = new Map();
  const hooks = createHooks({ root: "/", port: 0, firing: firingInto([]), now: () => 0, tell, loops: () => loops });
  await hooks.start();
  expect(hooks.url()).toBeNull();
  loops = served({ kind: "webhook", secretFile: "secret.txt" });
  await hooks.reload();
  const url = hooks.url();
  expect((await fetch(`${url}/hooks/new`)).status).toBe(405);
  await hooks.reload();
  expect(hooks.url()).toBe(url);
  await hooks.stop();
});

it("who never finishes a delivery keeps nobody out, and makes room for others", async () => {
  const loops = served({ kind: "webhook", secretFile: "secret.txt" });
  const hooks = createHooks({ root: "/", port: 0, firing: firingInto([]), now: () => 0, tell, loops: () => loops });
  await hooks.start();
  const port = Number(new URL(hooks.url() ?? "").port);
  const slow: Socket[] = [];
  for (let index = 0; index < 80; index += 1) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    await once(socket, "connect");
    socket.write("POST /hooks/new HTTP/1.1\r\nHost: a\r\n");
    slow.push(socket);
  }
  expect((await fetch(`${hooks.url()}/hooks/new`)).status).toBe(405);
  await hooks.stop();
  for (const socket of slow) socket.destroy();
});

it("a first branch is watched when pawl.yaml was read again", async () => {
  let loops: ReadonlyMap<string, ServedLoop> = new Map();
  let commit = "a";
  let known: string | null = null;
  const delivered: string[] = [];
  const clock = createJumpingClock(0);
  const watcher = createWatcher({
    ...{ clock, tell, firing: firingInto(delivered), loops: () => loops },
    readRef: async () => commit,
    readFiles: async () => "",
    slots: {
      async observe(_, value) {
        const before = known;
        known = value;
        return before === null ? "first" : before === value ? "same" : 1;
      },
    },
  });
  await watcher.start();
  loops = served({ kind: "watch_ref", ref: "main" });
  await watcher.reload();
  await clock.pass(10_000);
  commit = "b";
  await clock.pass(10_000);
  expect(delivered).toEqual(["new change:1:b"]);
  await watcher.stop();
});
