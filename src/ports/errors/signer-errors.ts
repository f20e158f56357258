/** Why nothing is signed. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const SIGNER_ERRORS = {
  SIGNER_KEY_EXPOSED: {
    what: (d: { path: string; mode: string }) => `The signing key ${d.path} can be used by others (mode ${d.mode}).`,
    why: "Whoever can read the key can sign a certificate that no gate stands behind.",
    hint: (d: { path: string; mode: string }) =>
      `If nobody has read it: \`chmod 600 ${d.path}\`. Otherwise remove it; the next run makes a new one.`,
    retry: "after_change",
    exit: 1,
  },
  SIGNER_KEY_DAMAGED: {
    what: (d: { path: string }) => `${d.path} is not an ed25519 key in a regular file.`,
    why: "A certificate that cannot be signed with the key of the project is not made.",
    hint: "Restore the file from a backup, or remove it: the next run makes a new key, and older certificates then count as signed by another.",
    retry: "after_change",
    exit: 1,
  },
  SIGNER_STORE_FAILED: {
    what: (d: { path: string; detail: string }) =>
      `The signing key at ${d.path} could not be made or read: ${d.detail}.`,
    why: "A certificate that cannot be signed is not made, and a verified run is not over without one.",
    hint: "Check that the state directory exists, belongs to you and can be written, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
