/**
 * Syncs the -wal file of a store on another thread, while this one goes on. SQLite takes its locks on other files, so that a
 * descriptor of one's own on this one takes none away when it is closed; and as long as a connection is open nobody exchanges the file.
 */
import { closeSync, fdatasync, openSync } from "node:fs";

export interface WalSync {
  /** Everything that was committed before is durable when it resolves. */
  sync(): Promise<void>;
  /** What is under way ends as it would. */
  close(): void;
}

export function createWalSync(file: string): WalSync {
  let descriptor: number | undefined;
  let underWay = 0;
  let closed = false;
  const closeWhenIdle = (): void => {
    if (!closed || underWay > 0 || descriptor === undefined) return;
    closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    sync: () =>
      new Promise((resolve, reject) => {
        descriptor ??= openSync(`${file}-wal`, "r+");
        underWay += 1;
        fdatasync(descriptor, (error) => {
          underWay -= 1;
          closeWhenIdle();
          if (error === null) resolve();
          else reject(error);
        });
      }),
    close() {
      closed = true;
      closeWhenIdle();
    },
  };
}
