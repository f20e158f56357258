/**
 * A call that was put off until a person decides. A session that is taken up again begins with that call, and may do so before
 * it has taken the hook: so what was decided lies before it from the start, where the program can read it and not change it.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { Mount } from "../../../ports/sandbox.ts";
import { objectAt, textAt } from "./fields.ts";

export interface PutOff {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

const NAME = "claude-put-off.json";
const GATE = "claude-gate";
const GATE_BEHIND = "/run/pawl/agent/gate";

/** Of this session; null: nothing was put off. Throws for what cannot be read: nobody knows what that session begins with. */
export async function readPutOff(home: string, session: string | null): Promise<PutOff | null> {
  const text = session === null ? null : await readFile(join(home, NAME), "utf8").catch(() => null);
  const kept: unknown = text === null ? null : JSON.parse(text);
  if (!isJsonObject(kept) || textAt(kept, "session") !== session) return null;
  const [id, tool] = [textAt(kept, "id"), textAt(kept, "tool")];
  return id === null || tool === null ? null : { id, tool, input: objectAt(kept, "input") };
}

/** null: there is none any more. */
export async function keepPutOff(home: string, session: string, call: PutOff | null): Promise<void> {
  const path = join(home, NAME);
  if (call === null) return rm(path, { force: true });
  const { id, tool, input } = call;
  await writeFile(`${path}.part`, JSON.stringify({ session, id, tool, input }), { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/**
 * A hook of its own: the call that was put off passes when it was allowed and is still the same, to the byte. Nothing else
 * passes before the gate is opened, and that call not even then. Where nothing was put off, the session may still say so: its
 * host was lost, or somebody has written it who should not.
 */
const HOOK = `
gate=${GATE_BEHIND}
call=$(cat)
[ -s $gate/id ] && [ -s $gate/allowed ] || exit 2
case "$call" in *"$(cat $gate/allowed)"*) exit 0 ;; esac
case "$call" in *"$(cat $gate/id)"*) echo "A person has not allowed it." >&2; exit 2 ;; esac
[ -e $gate/open ] && exit 0
echo "It cannot be ruled on yet." >&2
exit 2
`;

/** No call contains it: a call is one line. */
const NONE = "nothing\nis allowed\n";

const WRITERS = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

export interface Gateway {
  readonly mount: Mount;
  readonly hooks: JsonObject;
  /** The call that was put off, which it goes on with by itself; null: there is none. */
  readonly call: PutOff | null;
  /** The file that the call writes; null: it writes none, or may not be made. */
  readonly file: string | null;
  /** From now on every other call is ruled on by the usual hook. */
  open(): Promise<void>;
}

/** `call`: the one that was put off; null: there is none. */
export async function layGate(home: string, call: PutOff | null, isAllowed: boolean): Promise<Gateway> {
  const folder = join(home, GATE);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { named, whole, file } = call === null ? NOBODY : textsOf(call);
  await writeFile(join(folder, "id"), named);
  await writeFile(join(folder, "allowed"), isAllowed ? whole : NONE);
  const hook = { type: "command", command: HOOK, timeout: 60, onFailure: "block" };
  return {
    mount: { from: folder, to: GATE_BEHIND, access: "read" },
    hooks: { PreToolUse: [{ hooks: [hook] }] },
    call,
    file: isAllowed ? file : null,
    open: () => writeFile(join(folder, "open"), ""),
  };
}

interface Texts {
  /** What names the call in what the hook reads, and what is all of it. */
  readonly named: string;
  readonly whole: string;
  readonly file: string | null;
}

const NOBODY: Texts = { named: NONE, whole: NONE, file: null };

function textsOf({ id, tool, input }: PutOff): Texts {
  const named = `"tool_use_id":${JSON.stringify(id)}`;
  const file = WRITERS.has(tool) ? (textAt(input, "file_path") ?? textAt(input, "notebook_path")) : null;
  return { named, whole: `"tool_input":${JSON.stringify(input)},${named}`, file };
}
