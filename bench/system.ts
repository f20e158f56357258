/** System: what the bench asks of everything it measures, so that every figure is taken the same way. */

/** Called by a system at each stage body; returns the 100 bytes that the stage has to store. */
export interface Meter {
  body(run: string): string;
}

export interface OpenOptions {
  /** A fresh or an earlier state directory; everything the system stores goes below it. */
  readonly dir: string;
  readonly meter: Meter;
  /** How many runs the caller will have under way at once. */
  readonly concurrency: number;
  /** Variant of the system, such as the way of committing. */
  readonly variant: string;
}

/** `line`: every stage is another one. `cycle`: ten stages taken again and again. */
export type Shape = "line" | "cycle";

export interface RunRequest {
  readonly stages: number;
  readonly shape: Shape;
  /** How the run shall end. */
  readonly end: "succeeded" | "failed";
}

export interface ListRequest {
  readonly failedOnly: boolean;
  readonly cursor: string | null;
}

export interface ListPage {
  readonly rows: number;
  readonly next: string | null;
}

export interface Session {
  /** What was checked about this session, such as the level of synchronisation. */
  readonly facts: Readonly<Record<string, string>>;
  /** Does what is needed once for all runs of a request, so that no measured run pays for it. */
  prepare(request: RunRequest): Promise<void>;
  /** Starts one run and resolves with its name when its end is stored. */
  run(request: RunRequest): Promise<string>;
  close(): Promise<void>;
}

/** A session that can also answer for its runs and go on with an interrupted one. */
export interface StoreSession extends Session {
  /** A page of 20, newest first. */
  list(request: ListRequest): Promise<ListPage>;
  /** One run and its events; resolves with the number of events. */
  show(run: string): Promise<number>;
  /** Goes on with the run that was interrupted, until its end. */
  resume(): Promise<string>;
}

export interface System<S extends Session = Session> {
  open(options: OpenOptions): Promise<S>;
}
