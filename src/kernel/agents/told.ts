/** What an agent is given to read with its task: what its stage names, and to a checker the change. */
import { stripHidden } from "../../base/text/strip-hidden.ts";
import type { AgentAccess } from "../../ports/agents/agent-access.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Flight, Of } from "../flight.ts";
import type { Given } from "./prompt.ts";

const MOST_HEAD = 8192;
const MOST_TAIL = 24_576;
const MOST_PATCH_BYTES = 131_072;

export async function givenTo(
  { inputs, strip }: Of<"agent">,
  artifacts: Pick<KernelPorts["artifacts"], "get">,
): Promise<readonly Given[]> {
  return Promise.all(
    Object.entries(inputs).map(async ([name, { sha256 }]) => {
      const text = new TextDecoder().decode(await artifacts.get(sha256));
      const variable = `PAWL_INPUT_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
      return { name, variable, text: shortened(strip.includes(name) ? stripHidden(text).kept : text) };
    }),
  );
}

/** The end of a text says most. */
function shortened(text: string): string {
  if (text.length <= MOST_HEAD + MOST_TAIL) return text;
  const left = text.length - MOST_HEAD - MOST_TAIL;
  return `${text.slice(0, MOST_HEAD)}\n[${left} characters are left out here]\n${text.slice(-MOST_TAIL)}`;
}

/** null: it is no checker, or there is no tree to compare. */
export async function patchFor(
  { effect, base, tree }: Flight & { readonly effect: Of<"agent"> },
  { patch }: AgentAccess,
): Promise<string | null> {
  if (effect.stage.agent.role !== "checker" || base === null || tree === null) return null;
  return base === tree ? "nothing has changed" : patch(base, tree, MOST_PATCH_BYTES);
}
