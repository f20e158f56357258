/** Homes of agents as folders of the state directory. What tells which session to go on with lies beside the home, where no agent gets. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../base/digest.ts";
import type { RunId } from "../../base/ids.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { AgentHomes } from "../../ports/agents/agent-homes.ts";

const LONGEST_SESSION = 4096;

export function createFileAgentHomes({ dir }: { readonly dir: string }): AgentHomes {
  return {
    async open(run, stage, visit) {
      const top = join(dir, run, sha256(stage).slice(0, 24));
      const folder = join(top, "home");
      const note = join(top, "session.json");
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return {
        folder,
        session: sessionIn(await readFile(note, "utf8").catch(() => ""), visit),
        async keep(session) {
          if (session !== null && session.length > LONGEST_SESSION) return;
          const fresh = `${note}.${process.pid}`;
          await writeFile(fresh, JSON.stringify({ visit, session }), { mode: 0o600 });
          await rename(fresh, note);
        },
      };
    },
    leave: (run) => rm(join(dir, run), { recursive: true, force: true }),
    kept: async () => (await readdir(dir).catch((): string[] => [])) as RunId[],
  };
}

/** What was cut off while it was written, or is of an earlier visit, is none. */
function sessionIn(text: string, visit: number): string | null {
  try {
    const note = JSON.parse(text) as JsonValue;
    if (!isJsonObject(note) || note["visit"] !== visit) return null;
    return typeof note["session"] === "string" ? note["session"] : null;
  } catch {
    return null;
  }
}
