/** Any command as an agent: it gets its task in a file and on its standard input. Nothing it does is asked before: the wall bounds it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { canonical } from "../../../base/json.ts";
import type { AgentBackend, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { Dialogue, Executor } from "../../../ports/executor.ts";
import { BEHIND } from "../../../ports/sandbox.ts";
import { heedModels } from "../cli/heed-models.ts";
import { COMMAND } from "./signature.ts";
import { createSpoken } from "./spoken.ts";

/** Where it finds its task behind the wall. */
const TASK = "/run/pawl/task";

export function createCommandAgent({ executor }: { readonly executor: Pick<Executor, "execute"> }): AgentBackend {
  return heedModels({
    ...COMMAND,
    probe: async () => ({ version: "any", program: null, tested: null, inRange: true, hint: null }),
    async run(task, host, signal) {
      const from = await writeTask(task);
      const spoken = createSpoken(host);
      const dialogue: Dialogue = {
        begin(input) {
          void input.send(promptOf(task)).then(() => input.end());
        },
        onOutput: (chunk) => spoken.take(chunk),
      };
      const { door } = task;
      const request = {
        ...task.process,
        mounts: [...task.process.mounts, { from, to: TASK, access: "read" as const }],
        argv: task.settings["run"] as readonly string[],
        // What leads to the gateway comes last, so that nothing can take its place.
        env: { ...variablesOf(task), ...door?.env },
        capture: "none" as const,
        dialogue,
        ...(door === null ? {} : { modelSocket: door.socket }),
      };
      const process = await executor.execute(request, signal, () => undefined);
      const { outcome, text, output, session, reported } = spoken.told({
        ok: process.cause === "ok",
        error: process.error ?? "",
      });
      const isCancelled = signal.aborted && process.cause === "killed";
      return {
        outcome: isCancelled ? { kind: "cancelled" } : outcome,
        text,
        ...(output === undefined ? {} : { output }),
        session,
        reported,
        process,
      };
    },
  });
}

function promptOf({ system, prompt }: AgentTask): string {
  return system === null ? prompt : `${system}\n\n${prompt}`;
}

async function writeTask(task: AgentTask): Promise<string> {
  const folder = join(task.home, "task");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "prompt.md"), promptOf(task));
  if (task.schema !== null) await writeFile(join(folder, "schema.json"), canonical(task.schema));
  return folder;
}

/** Text of others goes into variables and never into the command. */
function variablesOf(task: AgentTask): Readonly<Record<string, string>> {
  const { model, maxTurns, session, schema, round, lastError, process } = task;
  const project = posix.join(BEHIND.workspace, process.project);
  return {
    PAWL_PROMPT_FILE: `${TASK}/prompt.md`,
    ...(schema === null ? {} : { PAWL_SCHEMA_FILE: `${TASK}/schema.json` }),
    ...(model === null ? {} : { PAWL_MODEL: model }),
    ...(maxTurns === null ? {} : { PAWL_MAX_TURNS: String(maxTurns) }),
    ...(session === null ? {} : { PAWL_SESSION: session }),
    PAWL_ROUND: String(round),
    PAWL_LAST_ERROR: withoutNul(lastError ?? ""),
    OPENLOOP_WORKSPACE: BEHIND.workspace,
    OPENLOOP_PROJECT_ROOT: project,
    OPENLOOP_ROUND: String(round),
    OPENLOOP_STEP: process.stage,
    OPENLOOP_LAST_ERROR: withoutNul(lastError ?? ""),
  };
}

/** No variable can hold it. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
