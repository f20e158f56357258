/** The contract of the AgentHomes port. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { formatRunId } from "../../src/base/ids.ts";
import type { AgentHomes } from "../../src/ports/agents/agent-homes.ts";
import { makeFolder, RUN, removeFolders } from "../support/process-fixture.ts";

const OTHER = formatRunId(Uint8Array.from({ length: 12 }, () => 7));

/** `create` opens the homes below a folder; called again, it sees what was kept. */
export function agentHomesContract(name: string, create: (dir: string) => AgentHomes): void {
  describe(`AgentHomes contract: ${name}`, () => {
    afterEach(removeFolders);

    it("gives each stage of each run a folder of its own, the same every time", async () => {
      const homes = create(join(makeFolder(), "agents"));
      const first = await homes.open(RUN, "fix", 1);
      writeFileSync(join(first.folder, "note"), "kept");
      expect((await homes.open(RUN, "fix", 2)).folder).toBe(first.folder);
      const others = [
        await homes.open(RUN, "fix[1]", 1),
        await homes.open(RUN, "../fix", 1),
        await homes.open(OTHER, "fix", 1),
      ];
      expect(new Set([first, ...others].map(({ folder }) => folder)).size).toBe(4);
      expect(others.map(({ folder }) => existsSync(join(folder, "note")))).toEqual([false, false, false]);
    });

    it("remembers the session that was kept last, for one visit and whoever comes next", async () => {
      const dir = makeFolder();
      const home = await create(dir).open(RUN, "fix", 1);
      expect(home.session).toBeNull();
      await home.keep("s1");
      await home.keep("s2");
      expect((await create(dir).open(RUN, "fix", 1)).session).toBe("s2");
      expect((await create(dir).open(RUN, "fix", 2)).session).toBeNull();
      expect((await create(dir).open(RUN, "review", 1)).session).toBeNull();
      await home.keep(null);
      expect((await create(dir).open(RUN, "fix", 1)).session).toBeNull();
    });

    it("keeps no session that nobody could have", async () => {
      const dir = makeFolder();
      const home = await create(dir).open(RUN, "fix", 1);
      await home.keep("x".repeat(10_000));
      expect((await create(dir).open(RUN, "fix", 1)).session).toBeNull();
    });

    it("believes nothing that the agent writes into its home", async () => {
      const dir = makeFolder();
      const home = await create(dir).open(RUN, "fix", 1);
      await home.keep("s1");
      writeFileSync(join(home.folder, "session.json"), JSON.stringify({ visit: 1, session: "stolen" }));
      expect((await create(dir).open(RUN, "fix", 1)).session).toBe("s1");
    });

    it("lets go of a run, and says of which it has something", async () => {
      const homes = create(makeFolder());
      expect(await homes.kept()).toEqual([]);
      const home = await homes.open(RUN, "fix", 1);
      await homes.open(OTHER, "fix", 1);
      expect([...(await homes.kept())].sort()).toEqual([RUN, OTHER].sort());
      await homes.leave(RUN);
      await homes.leave(RUN);
      expect(existsSync(home.folder)).toBe(false);
      expect(await homes.kept()).toEqual([OTHER]);
    });
  });
}
