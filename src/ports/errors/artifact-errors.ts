/** What every store of artifacts may reject with. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const ARTIFACT_ERRORS = {
  ARTIFACT_TOO_LARGE: {
    what: (d: { maxBytes: number }) => `An artifact is larger than the limit of ${d.maxBytes} bytes.`,
    why: "Artifacts are kept as long as their run; one of any size could fill the disk.",
    hint: "Store a smaller file, or only the part of it that later stages need.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_NOT_A_FILE: {
    what: (d: { path: string }) => `${d.path} is not a regular file that can be read.`,
    why: "Only a file with fixed bytes can be an artifact: a link could lead anywhere, a pipe has no end.",
    hint: "Write the output as an ordinary file at exactly this path.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_MISSING: {
    what: (d: { sha256: string }) => `The artifact ${d.sha256} is not in the store.`,
    why: "A run refers to it; without it that run cannot be shown or resumed in full.",
    hint: "Restore the artifacts folder from a backup; do not delete files in it by hand.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_DAMAGED: {
    what: (d: { sha256: string }) => `The stored bytes of the artifact ${d.sha256} do not have this digest.`,
    why: "They were changed after they were stored, by the disk or by someone; they are not used.",
    hint: "Restore the file from a backup and check the disk.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_TARGET_TAKEN: {
    what: (d: { path: string }) => `${d.path} exists already.`,
    why: "An artifact is laid out as a new file and replaces nothing.",
    hint: "Choose a path where nothing is yet.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_DISK_FULL: {
    what: (d: { path: string }) => `There is no space left to store an artifact at ${d.path}.`,
    why: "The stage's result could not be stored, so the stage is not recorded as done.",
    hint: "Free some space or raise the quota, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
  ARTIFACT_STORE_FAILED: {
    what: (d: { path: string; detail: string }) => `The artifact store failed at ${d.path}: ${d.detail}.`,
    why: "The stage's result could not be stored or read, so the run cannot go on.",
    hint: "Check that the folder exists, belongs to you and can be written, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
