/** Why a file of the project could not be written. */
import type { Catalogue } from "../../base/diagnostic.ts";

type AtPath = { path: string };

export const FILE_ERRORS = {
  FILE_PATH_OUTSIDE: {
    what: (d: AtPath) => `${d.path} is not a file path below the project root.`,
    why: "An action may write only inside the project; a link may not lead out of it.",
    hint: "Give a relative path to a file inside the project.",
    retry: "after_change",
    exit: 1,
  },
  FILE_PATH_RESERVED: {
    what: (d: { path: string; sealed: string }) =>
      `${d.path} is sealed: ${d.sealed} belongs to git, to Pawl or to a tool.`,
    why: "Programs run what is written there with the rights of whoever opens the project, or the journal would break.",
    hint: "Choose another path, or make this change yourself.",
    retry: "after_change",
    exit: 1,
  },
  FILE_NOT_REGULAR: {
    what: (d: AtPath) => `${d.path} exists and is not a regular file.`,
    why: "A link, folder or device is never replaced or written through.",
    hint: "Remove what is there, or choose another path.",
    retry: "after_change",
    exit: 1,
  },
  FILE_NOT_TEXT: {
    what: (d: AtPath) => `${d.path} is not UTF-8 text.`,
    why: "Bytes that cannot be read as text would be lost when the rest of the file is written again.",
    hint: "Save it as UTF-8.",
    retry: "after_change",
    exit: 1,
  },
  FILE_TOO_LARGE: {
    what: (d: { path: string; maxBytes: number }) => `${d.path} is larger than ${d.maxBytes} bytes.`,
    why: "Before a line is added the file is searched for its key.",
    hint: "Start a new file.",
    retry: "after_change",
    exit: 1,
  },
  FILE_BUSY: {
    what: (d: AtPath) => `${d.path} is changed all the time by somebody else.`,
    why: "What others write at the same time is never overwritten.",
    hint: "Try again when nobody else writes it.",
    retry: "safe",
    exit: 1,
  },
  FILE_DISK_FULL: {
    what: (d: AtPath) => `There is no space left to write ${d.path}.`,
    why: "The file is as it was before, or its last line is not complete and will be completed by the next attempt.",
    hint: "Free some space or raise the quota, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
  FILE_WRITE_FAILED: {
    what: (d: { path: string; detail: string }) => `${d.path} could not be written: ${d.detail}.`,
    why: "The stage has not done its work.",
    hint: "Check that the folder can be written by this user.",
    retry: "after_change",
    exit: 1,
  },
  FILE_FLAG_UNREADABLE: {
    what: (d: { path: string; detail: string }) =>
      `Whether the kill switch is on cannot be known: ${d.path} cannot be read (${d.detail}).`,
    why: "Nothing is started while it might be on. A run under way stays resumable.",
    hint: "Let this user read the folder, or raise the limit of open files; then resume.",
    retry: "after_change",
    exit: 1,
  },
  FILE_FLAG_UNWRITABLE: {
    what: (d: { path: string; detail: string }) => `The kill switch could not be set: ${d.path} (${d.detail}).`,
    why: "Nothing was stopped: a kill that is not stored would be forgotten.",
    hint: (d: { path: string }) => `Set it by hand where you may: \`touch ${d.path}\`.`,
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
