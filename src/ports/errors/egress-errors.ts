/** Why a process could not be given its way out. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const EGRESS_ERRORS = {
  SANDBOX_HOST_UNFIT: {
    what: (d: { host: string; problem: string }) => `${d.host} cannot be a host in \`network\`: ${d.problem}.`,
    why: "An entry that means nothing, or more than it says, would not protect what it seems to. Nothing was started.",
    hint: "Write a name such as example.org, *.example.org or example.org:8443, or an address with its port.",
    retry: "after_change",
    exit: 3,
  },
  SANDBOX_BROKER_FAILED: {
    what: (d: { place: string; problem: string }) =>
      `The way out of the sandbox cannot be opened at ${d.place}: ${d.problem}.`,
    why: "The process must not start without the network that it was promised. Nothing was started.",
    hint: "Check that the folder belongs to this user, can be written and has a short path.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
