/** May a change be merged without a person? Only what is on the allow list and verified on exactly this tree. That its branch has not moved is up to the action that merges. */
import type { ChangeRules, Level } from "../blueprint/blueprint.ts";
import {
  type ChangedFile,
  type ChangeFinding,
  type ChangeTrigger,
  type ChangeVerdict,
  decide,
  findAgainst,
  type Refusal,
} from "./change.ts";

export interface MergeFacts {
  /** Every gate of the run passed on exactly the tree that would be merged. */
  readonly verified: boolean;
  readonly level: Level;
}

/** A denied path and an unverified tree fail whatever the rules say; everything else that is not certain asks a person. */
export function judgeMerge(rules: ChangeRules, files: readonly ChangedFile[], facts: MergeFacts): ChangeVerdict {
  const findings: ChangeFinding[] = [...findAgainst({ ...rules, denied: "fail" }, files)];
  const add = (trigger: ChangeTrigger, refusal: Refusal, reason: string): void => {
    findings.push({ trigger, refusal, reason, paths: [] });
  };
  if (rules.allow === null) add("not_allowlisted", "escalate", "there is no list of what may be merged");
  if (!facts.verified) add("unverified", "fail", "the gates did not all pass on exactly this tree");
  if (facts.level !== "L3") add("level", "escalate", `at level ${facts.level} a person merges`);
  return decide(files, findings);
}
