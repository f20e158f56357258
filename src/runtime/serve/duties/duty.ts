/** A duty: one of the things that `pawl serve` does. They know each other only through what is stored. */

export interface Duty {
  readonly name: string;
  /** Resolves when it has begun. */
  start(): Promise<void>;
  /** Does what there is to do now, once; resolves to whether there was anything. */
  once(): Promise<boolean>;
  /** Begins nothing more; resolves when nothing of it is under way. Idempotent. */
  stop(): Promise<void>;
}
