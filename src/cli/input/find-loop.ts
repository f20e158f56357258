/** A loop of `pawl.yaml` by its name. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Runtime } from "../../runtime/runtime.ts";

type FoundLoop =
  | { readonly ok: true; readonly loop: Loop }
  | {
      readonly ok: false;
      readonly problems: readonly Diagnostic[];
      readonly sources: Readonly<Record<string, string>>;
    };

/** Undefined: there is none. A file that cannot be read may name it, so that its problems are the answer. */
export async function findLoop(runtime: Pick<Runtime, "project">, name: string): Promise<FoundLoop | undefined> {
  const { file, sources } = await runtime.project();
  if (file === null) return undefined;
  if (!file.ok) return { ok: false, problems: file.problems, sources };
  const loop = file.value.loops.find((each) => each.name === name);
  return loop && { ok: true, loop };
}

/** None, when the file cannot be read. */
export async function loopNames(runtime: Pick<Runtime, "project">): Promise<readonly string[]> {
  const { file } = await runtime.project();
  return file?.ok === true ? file.value.loops.map(({ name }) => name) : [];
}
