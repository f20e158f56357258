/** Runs the contract of the kill switch against its adapters, and what the one with files adds: people make them by hand. */
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createFileKillSwitch } from "../../src/adapters/files/kill-switch.ts";
import { createMemoryFlags, createMemoryKillSwitch } from "../../src/adapters/memory/limits/kill-switch.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { KillSwitch } from "../../src/ports/stop/kill-switch.ts";
import { PATIENCE_MS } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";
import { killSwitchContract } from "./kill-switch.contract.ts";

const RUN = "r_0123456789ab" as RunId;
const ASKED = { by: "ann", why: "enough", at: 1000 };

killSwitchContract("memory", () => {
  const flags = createMemoryFlags();
  return { killSwitch: createMemoryKillSwitch(flags), another: () => createMemoryKillSwitch(flags) };
});
killSwitchContract("files", () => {
  const { create } = project();
  return { killSwitch: create(), another: create };
});

function project(): { readonly root: string; readonly stateDir: string; create(): KillSwitch } {
  const root = tempDir();
  const stateDir = join(root, ".pawl");
  mkdirSync(stateDir, { mode: 0o700 });
  return { root, stateDir, create: () => createFileKillSwitch({ root, stateDir }) };
}

describe("the kill switch as files", () => {
  it("is for the owner only, and says who and why", async () => {
    const { stateDir, create } = project();
    await create().pull({ scope: "all", ...ASKED });
    const path = join(stateDir, "kill");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(ASKED);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is on when a person makes an empty file, a folder, a broken link or a text, and off when it is gone", async () => {
    const { stateDir, create } = project();
    const path = join(stateDir, "kill");
    const makers = [
      () => writeFileSync(path, ""),
      () => mkdirSync(path),
      () => symlinkSync("/nonexistent/place", path),
      () => writeFileSync(path, "[1,"),
      () => writeFileSync(path, "null"),
      () => writeFileSync(path, JSON.stringify({ by: 1, why: {}, at: -1 })),
    ];
    for (const make of makers) {
      make();
      expect(create().pulled(RUN)).toMatchObject({
        scope: "all",
        by: "somebody who made the file",
        why: "",
        source: ".pawl/kill",
      });
      rmSync(path, { recursive: true, force: true });
      expect(create().pulled(RUN)).toBeNull();
    }
    writeFileSync(path, "");
    utimesSync(path, 1700, 1700);
    expect(create().pulled("all")?.at).toBe(1_700_000);
    writeFileSync(join(stateDir, `kill-${RUN}`), "");
    expect(await create().release("all")).toMatchObject({ released: [{ scope: "all" }, { scope: RUN }], left: null });
    expect(create().pulled(RUN)).toBeNull();
  });

  it("is not on where there is no state at all", () => {
    const root = tempDir();
    expect(createFileKillSwitch({ root, stateDir: join(root, "none") }).pulled(RUN)).toBeNull();
  });

  it("is on while STATE.md says loop-pause-all: true, which only people take out", async () => {
    const { root, create } = project();
    const state = join(root, "STATE.md");
    writeFileSync(state, "# State\n\n- loop-pause-all: true\n");
    const killSwitch = create();
    expect(killSwitch.pulled(RUN)).toMatchObject({ scope: "all", source: "STATE.md:3", isForeign: true });
    expect(await killSwitch.release("all")).toMatchObject({ released: [], left: { source: "STATE.md:3" } });
    expect(readFileSync(state, "utf8")).toContain("loop-pause-all: true");
    writeFileSync(state, "# State\n\n- loop-pause-all: false\n");
    await vi.waitFor(() => expect(killSwitch.pulled(RUN)).toBeNull(), PATIENCE_MS);
    rmSync(state);
    mkdirSync(state);
    await vi.waitFor(() => expect(create().pulled(RUN)).toBeNull(), PATIENCE_MS);
  });

  it("throws when nobody can know, and the watch is then silent", async () => {
    const unreadable = expect.objectContaining({ code: "FILE_FLAG_UNREADABLE" });
    const { root, stateDir } = project();
    const loop = join(root, "loop");
    symlinkSync("loop", loop);
    const killSwitch = createFileKillSwitch({ root, stateDir: loop });
    expect(() => killSwitch.pulled(RUN)).toThrow(unreadable);
    killSwitch.watch(RUN, () => expect.unreachable("nobody pulled it"))();
    symlinkSync("STATE.md", join(root, "STATE.md"));
    expect(() => createFileKillSwitch({ root, stateDir }).pulled(RUN)).toThrow(unreadable);
  });

  it("says when it cannot be set, and is not set then", async () => {
    const root = tempDir();
    const killSwitch = createFileKillSwitch({ root, stateDir: join(root, "none") });
    await expect(killSwitch.pull({ scope: "all", ...ASKED })).rejects.toMatchObject({ code: "FILE_FLAG_UNWRITABLE" });
  });
});
