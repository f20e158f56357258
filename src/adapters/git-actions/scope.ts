/** What every git action has at hand, and the frame in which it works. */
import { isPawlError, pawlError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { EffectClass, Level } from "../../blueprint/blueprint.ts";
import type { Action, ActionContext, ActionReport } from "../../ports/actions.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import type { Certified } from "../../ports/trust/certifier.ts";
import type { GitHub } from "./github.ts";
import { type CommitFacts, commitFacts } from "./repository/commits.ts";
import type { Git } from "./repository/run-git.ts";

export interface Scope {
  readonly git: Git;
  /** The user's project. */
  readonly root: string;
  readonly vault: string;
  readonly artifacts: Artifacts;
  readonly github: GitHub;
  /** Folders of the repository from which the user's git runs hooks. */
  readonly hooksFolders: () => Promise<readonly string[]>;
  /** Keeps new objects of the vault from being removed before they have a name. */
  readonly holdVault: <T>(work: () => Promise<T>) => Promise<T>;
}

export interface Snapshot extends CommitFacts {
  readonly id: string;
}

export interface Spec {
  readonly name: string;
  readonly summary: string;
  readonly effect: EffectClass;
  readonly level: Level;
  readonly input: Action["input"];
  /** false: it only looks at the tree. */
  readonly writes?: false;
  readonly remote?: true;
  /** `snapshot`: what the workspace of the run holds. */
  perform(input: JsonObject, context: ActionContext, snapshot: Snapshot): Promise<ActionReport>;
}

/** What another machine has said, or why it could not be reached. */
const FROM_AFAR = /^GITHUB_REQUEST_FAILED$|^GIT_PUSH_REJECTED$/;

/** What is wrong with the input or the repository is a failure of the stage; anything else is a defect and is thrown. */
export function actionOf(scope: Scope, spec: Spec): Action {
  const { name, summary, effect, level, input: members, writes = true, remote } = spec;
  return {
    name,
    summary,
    effect,
    cost: NO_USAGE,
    input: members,
    usesTree: true,
    writes,
    level,
    ...(remote === undefined ? {} : { remote }),
    async perform(input, context) {
      if (context.signal.aborted) return { ok: false, error: "The action was not started: the run was ended." };
      try {
        const snapshot = await admit(scope, spec, context);
        return await scope.holdVault(() => spec.perform(input, context, snapshot));
      } catch (error) {
        if (isPawlError(error)) return { ok: false, error: error.message, reached: FROM_AFAR.test(error.code) };
        throw error;
      }
    },
  };
}

async function admit({ git }: Scope, { name: action, level: needed }: Spec, context: ActionContext): Promise<Snapshot> {
  const { level, tree } = context;
  // Levels are named so that they sort.
  if (level < needed) throw pawlError(GIT_ERRORS, "GIT_LEVEL_TOO_LOW", { action, level, needed });
  const facts = tree === null ? undefined : await commitFacts(git.vault, tree);
  if (tree === null || facts === undefined) throw pawlError(GIT_ERRORS, "GIT_TREE_MISSING", { action });
  return { ...facts, id: tree };
}

/** The proof that goes with what leaves the run; null: nothing was verified, or nobody certifies here. */
export async function certificateOf({ certificate }: ActionContext): Promise<Certified | null> {
  return (await certificate?.()) ?? null;
}
