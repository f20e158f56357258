/** `pawl.yaml`: what a project says about itself. Whoever reads a part of it reads all of it, so that nothing in it goes unread. */
import { BUDGET_FIELDS } from "../budget/budget-fields.ts";
import { MCP } from "../mcp/mcp-fields.ts";
import { MODELS } from "../models/model-fields.ts";
import { PRICES } from "../prices/price-fields.ts";
import { boolean, type Fields, object, type Shape } from "../shapes/shape.ts";
import { POLICY_FIELDS } from "./rule-fields.ts";

/** What holds for every run. */
export const REPOSITORY_FIELDS = {
  policy: { shape: object(POLICY_FIELDS, "policy"), about: "What the repository adds to the policy." },
  budget: { shape: object(BUDGET_FIELDS, "budget"), about: "The most that the runs of the project may spend." },
  models: { shape: MODELS, about: "Which models answer, and what happens when one does not." },
  mcp: { shape: MCP, about: "MCP servers whose tools agents may be given." },
  prices: { shape: PRICES, about: "What models cost, where it is not what is known of them." },
  auto_resume: {
    shape: boolean(),
    about: "Whether a run that rests until a quota or a budget frees goes on by itself (true).",
  },
} as const satisfies Fields;

/** Read by whoever needs loops: one that is written wrongly must not stop a run that is none of it. */
const UNREAD: Shape<true> = { schema: {}, read: () => true };
const LOOPS = { shape: UNREAD, about: "See `parse-project.ts`." } as const;

export const REPOSITORY_FILE = object(
  { ...REPOSITORY_FIELDS, version: LOOPS, loops: LOOPS, lanes: LOOPS, machine: LOOPS },
  "pawl.yaml",
);
