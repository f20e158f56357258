/** A file that one process holds at a time. What is held is free the instant its holder dies, however it ended. */
export interface RunLock {
  /** Idempotent; nothing of the file is left. */
  release(): void;
}

export interface RunLocks {
  /** Who holds it, in words for people, when somebody does. Rejects when the folder cannot be written. */
  hold(path: string): Promise<{ readonly lock: RunLock } | { readonly holder: string }>;
}
