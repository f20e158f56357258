/** Everything a store can refuse or fail at. Adapters of Journal, RunIndex, Lease and Control reject with these alone. */
import type { Catalogue } from "../../base/diagnostic.ts";

type InFile = { file: string };
type InFileDetail = { file: string; detail: string };

/** `writer`: who is in the way, as far as that is known; `since` when it runs. */
type Busy = InFile & { writer: { pid: number; since: string; isStopped: boolean } | null };

function writerText(writer: Busy["writer"]): string {
  if (writer === null) return "Another process";
  return `Process ${writer.pid}, which runs since ${writer.since}${writer.isStopped ? " and is stopped," : ","}`;
}

const REPAIR =
  "`pawl recover --repair`: it moves the damaged file aside, keeps every run that can still be proved, and starts a new journal. It deletes nothing. `pawl recover` lists the work that is saved.";

export const JOURNAL_ERRORS = {
  JOURNAL_DISK_FULL: {
    what: (d: InFile) => `There is no space left to write ${d.file}.`,
    why: "An event that is not stored did not happen: the run stops before its next effect. Everything acknowledged before is kept.",
    hint: "Free some space, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_READ_ONLY: {
    what: (d: InFile) => `${d.file} cannot be written.`,
    why: "A run needs to store each event before it goes on.",
    hint: "Give this user write permission on the state directory and the files in it, or use a disk that is not mounted read-only.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_CORRUPT: {
    what: (d: InFileDetail) => `${d.file} is damaged or is not a Pawl journal: ${d.detail}.`,
    why: "Going on could destroy what can still be saved, so nothing was changed.",
    hint: `Put the file back from a backup, or run ${REPAIR}`,
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_LOST: {
    what: (d: InFileDetail) => `The journal ${d.file} is lost: ${d.detail}.`,
    why: "Only the journal says which work of earlier runs is finished and merged. Without it that work would look like leftovers, so nothing was done.",
    hint: `Put the file back from a backup, or run ${REPAIR}`,
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_IN_USE: {
    what: (d: InFile) => `A process still uses ${d.file}.`,
    why: "What it stores from now on would be lost, so nothing was moved.",
    hint: "End it first: stop `pawl serve`, or call `pawl kill --all`. Then try again.",
    retry: "after_change",
    exit: 1,
  },
  LOOPS_LOST: {
    what: (d: InFileDetail) => `The store of loops ${d.file} is lost: ${d.detail}.`,
    why: "It holds which slots of schedules have fired and what waits in the queue, so nothing was done.",
    hint: "Put the file back from a backup, or run `pawl recover --repair`: schedules then continue from now, and what waited in the queue has to be queued again. A slot that has run is not run twice, because its run is in the journal.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_BUSY: {
    what: (d: Busy) => `${writerText(d.writer)} has kept ${d.file} locked for too long.`,
    why: "Nothing of this call was stored.",
    hint: ({ writer }: Busy) => {
      if (writer === null)
        return "Look for a stopped or hanging process that uses the same state directory; then try again.";
      const goOn = writer.isStopped
        ? `Let it go on (\`fg\` in its terminal, or \`kill -CONT ${writer.pid}\`)`
        : "Try again";
      return `${goOn}, or end it with \`kill -KILL ${writer.pid}\`: what it had not stored is undone. \`pawl serve\` ends a host of runs that stands still by itself.`;
    },
    retry: "safe",
    exit: 1,
  },
  JOURNAL_IO: {
    what: (d: InFileDetail) => `${d.file} could not be read or written: ${d.detail}.`,
    why: "Nothing of this call was stored. Everything acknowledged before is kept.",
    hint: "Check the disk and the permissions of the state directory, then resume the run.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_NOT_DURABLE: {
    what: (d: InFileDetail) => `${d.file} cannot be opened with power-loss durability: ${d.detail}.`,
    why: "Acknowledged events could be lost in a power cut.",
    hint: "Keep the state directory on a local file system; network file systems often cannot do this.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_FOLDER_REMOTE: {
    what: (d: { dir: string; kind: string }) => `${d.dir} lies on a network file system (${d.kind}).`,
    why: "Locks and shared memory do not hold between machines there: two processes could host one run, and the journal could be damaged.",
    hint: "Keep the project, or at least the folder, on a disk of this machine.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_SCHEMA_NEWER: {
    what: (d: { file: string; version: number; known: number }) =>
      `${d.file} was written by a newer Pawl: its schema is ${d.version}, this one knows ${d.known}.`,
    why: "An older program could misread or damage it, so nothing was changed.",
    hint: "Use the newer Pawl for this project.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_WAL_MISSING: {
    what: (d: InFileDetail) => `${d.file}-wal is gone although its last writer did not close it: ${d.detail}.`,
    why: "The newest events of a journal live in that file until it is closed; without it, acknowledged work looks as if it never happened and could be done twice.",
    hint: "Put the -wal file back from where it was moved or from a backup. To go on without the lost events, run `pawl recover --repair` or `pawl doctor --accept-loss`.",
    retry: "after_change",
    exit: 1,
  },
  JOURNAL_CLOSED: {
    what: (d: InFile) => `The journal ${d.file} has been closed.`,
    why: "Nothing of this call was stored.",
    hint: "Open the store again.",
    retry: "never",
    exit: 1,
  },
  JOURNAL_RUN_UNKNOWN: {
    what: (d: { run: string }) => `There is no run ${d.run} in this journal.`,
    why: "Events, claims and requests belong to a run that was created before.",
    hint: "Check the run id and the state directory.",
    retry: "never",
    exit: 3,
  },
  JOURNAL_SEQ_AHEAD: {
    what: (d: { run: string; expected: number; next: number }) =>
      `An append to ${d.run} expects seq ${d.expected}, but the next event has seq ${d.next}.`,
    why: "Storing it would leave a gap in the chain, so nothing was stored.",
    hint: "This is a defect of the writer; if seqs were read earlier, the journal has lost events since.",
    retry: "never",
    exit: 1,
  },
  JOURNAL_EVENTS_INVALID: {
    what: (d: { run: string; problem: string }) => `Events for ${d.run} cannot be stored: ${d.problem}.`,
    why: "The journal holds only what every later reader can use.",
    hint: "This is a defect of the writer.",
    retry: "never",
    exit: 1,
  },
} as const satisfies Catalogue;
