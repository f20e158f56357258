/** The layers of policy outside blueprints: organisation, user, repository. Read once, before anything is compiled. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import {
  type Layer,
  type PolicyFile,
  parsePolicy,
  parseRepositoryPolicy,
} from "../../blueprint/policy/parse-policy.ts";
import type { Rule } from "../../policy/rule.ts";
import { SETS } from "../../policy/shipped/sets.ts";
import type { Setting } from "../config.ts";
import { type PolicyPlace, projectPlace, readPolicyText } from "./read-policy-text.ts";

export interface PolicyFiles {
  readonly organisation: Setting<string>;
  readonly user: Setting<string>;
}

export interface PolicyLayers {
  /** The rules of all layers, from the outermost; `use` is resolved. */
  readonly rules: Result<readonly Rule[]>;
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

export async function loadPolicyLayers(root: string, files: PolicyFiles): Promise<PolicyLayers> {
  const sources: Record<string, string> = {};
  const load = async (
    place: PolicyPlace,
    parse: (text: string, file: string) => Result<readonly Rule[]>,
  ): Promise<Result<readonly Rule[]>> => {
    const text = await readPolicyText(place);
    if (!text.ok) return text;
    if (text.value === null) return ok([]);
    sources[place.shown] = text.value;
    return parse(text.value, place.shown);
  };
  const outer = (layer: Layer): Promise<Result<readonly Rule[]>> => {
    const { value: path, origin } = files[layer];
    const place = { path, shown: path, isRequired: origin === "env", outside: root };
    return load(place, (text, file) => withSets(parsePolicy(text, file, layer)));
  };
  const repository = projectPlace(root);
  const layers = [await outer("organisation"), await outer("user"), await load(repository, parseRepositoryPolicy)];
  const problems = layers.flatMap((layer): readonly Diagnostic[] => (layer.ok ? [] : layer.problems));
  if (problems.length > 0) return { rules: failed(problems), sources };
  return { rules: ok(layers.flatMap((layer) => (layer.ok ? layer.value : []))), sources };
}

function withSets(parsed: Result<PolicyFile>): Result<readonly Rule[]> {
  if (!parsed.ok) return parsed;
  return ok([...parsed.value.use.flatMap((name) => SETS[name]), ...parsed.value.rules]);
}
