/** What can be wrong with the parts a runtime is made of. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const ACTION_ERRORS = {
  ACTION_NAME_TAKEN: {
    what: (d: { name: string }) => `Two actions are called ${d.name}.`,
    why: "A blueprint calls an action by its name, and policy allows it by its name: it must mean one thing.",
    hint: "Give your action another name; a prefix such as `mine.` keeps it apart from the built-in ones.",
    retry: "after_change",
    exit: 3,
  },
} as const satisfies Catalogue;
