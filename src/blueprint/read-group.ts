/** The body of a group: members side by side, or one member for each item of a list. */
import type { Expression } from "../base/expression.ts";
import type { GroupSpec, LeafSpec, StageCommon } from "./blueprint.ts";
import type { StageFound } from "./fields.ts";
import type { Given, Reading } from "./shapes/shape.ts";
import { indexStages, type StageDraft } from "./stage-draft.ts";
import { keysOf, type MapNode } from "./text/tree.ts";

const MAX_ITEMS = 100;
const MAX_PARALLEL = 4;

type GroupFound = NonNullable<StageFound["group"]>;

export function readGroup(
  common: StageCommon,
  group: GroupFound,
  reading: Reading,
  readMember: (node: MapNode, reading: Reading, position: "member" | "item") => StageDraft,
): Pick<StageDraft, "references" | "inputs"> & { readonly spec: GroupSpec } {
  const { value: found } = group;
  checkForm(group, reading);
  const members = [
    ...(found.parallel?.value ?? []).map(({ value }) => readMember(value, reading, "member")),
    ...(found.stage === undefined ? [] : [readMember(found.stage.value, reading, "item")]),
  ];
  indexStages(members, reading.problems);
  const maxItems = found.max_items?.value ?? MAX_ITEMS;
  checkItems(found.for_each, maxItems, reading);
  return {
    spec: {
      ...common,
      kind: "group",
      members: members.map(({ spec }) => spec as LeafSpec),
      ...(found.for_each === undefined ? {} : { forEach: found.for_each.value }),
      maxItems,
      maxParallel: found.max_parallel?.value ?? MAX_PARALLEL,
      failFast: found.fail_fast?.value ?? false,
    },
    references: members.flatMap(({ references }) => references),
    inputs: members.flatMap(({ inputs }) => inputs),
  };
}

/** Asks which keys were written, not which could be read: a broken value is no reason to miss it. */
function checkForm({ node, key }: GroupFound, { problems }: Reading): void {
  const written = new Set(keysOf(node));
  const forms: readonly (readonly [boolean, string])[] = [
    [written.has("parallel") && written.has("for_each"), "has both `parallel` and `for_each`"],
    [!written.has("parallel") && !written.has("for_each"), "has neither `parallel` nor `for_each`"],
    [written.has("for_each") && !written.has("stage"), "has `for_each` but no `stage`"],
    [written.has("stage") && !written.has("for_each"), "has `stage` but no `for_each`"],
    [written.has("max_items") && !written.has("for_each"), "has `max_items` but no `for_each`"],
  ];
  for (const [isWrong, problem] of forms) {
    if (isWrong) problems.report("BLUEPRINT_GROUP_FORM", { problem }, key);
  }
}

function checkItems(forEach: Given<Expression> | undefined, max: number, { problems }: Reading): void {
  const items = forEach?.node.kind === "list" ? forEach.node.items.length : 0;
  if (forEach !== undefined && items > max) problems.report("BLUEPRINT_GROUP_OVERFLOW", { items, max }, forEach.node);
}
