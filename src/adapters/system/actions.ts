/** Actions by name, from several lists. */
import { pawlError } from "../../base/errors.ts";
import type { ActionSignature } from "../../plan/plan.ts";
import type { Action, Actions } from "../../ports/actions.ts";
import { ACTION_ERRORS } from "../../ports/errors/action-errors.ts";

/** Throws ACTION_NAME_TAKEN when two actions have the same name. */
export function createActions(lists: readonly (readonly Action[])[]): Actions {
  const byName = new Map<string, Action>();
  for (const action of lists.flat()) {
    if (byName.has(action.name)) throw pawlError(ACTION_ERRORS, "ACTION_NAME_TAKEN", { name: action.name });
    byName.set(action.name, action);
  }
  const signatures = [...byName.values()].map(signatureOf);
  return { get: (name) => byName.get(name), signatures: () => signatures };
}

/** Every member of the signature, and nothing else that the object of a program may carry. */
function signatureOf({
  name,
  summary,
  effect,
  cost,
  input,
  usesTree,
  writes,
  untrusted,
  retells,
  level,
}: Action): ActionSignature {
  return {
    ...{ name, summary, effect, cost, input },
    ...(usesTree === undefined ? {} : { usesTree }),
    ...(writes === undefined ? {} : { writes }),
    ...(untrusted === undefined ? {} : { untrusted }),
    ...(retells === undefined ? {} : { retells }),
    ...(level === undefined ? {} : { level }),
  };
}
