/** What doctor says of the keys of providers: whose there are. The keys themselves are told to nobody. */
import { isPawlError } from "../../base/errors.ts";
import type { DoctorCheck } from "../runtime.ts";

const NAME = "keys";
const HINT = "Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or write ~/.config/pawl/keys.json.";

/** Nobody needs one for a script or a command. */
export async function keysCheck(keys: () => Promise<ReadonlySet<string>>): Promise<DoctorCheck> {
  try {
    const known = [...(await keys())].sort();
    if (known.length > 0) return { name: NAME, status: "ok", detail: `of ${known.join(", ")}`, hint: null };
    return { name: NAME, status: "ok", detail: "none: agents that call models find no provider", hint: HINT };
  } catch (error) {
    const [problem] = isPawlError(error) ? error.problems : [];
    if (problem === undefined) throw error;
    return { name: NAME, status: "fail", detail: problem.what, hint: problem.hint };
  }
}
