/** Why an answered run could not resume, kept on the board so that every process can say so. It holds only until the run has a newer event. */
import type { JsonValue } from "../../base/json.ts";
import type { Board, Page } from "../../ports/loops/board.ts";
import type { RunRow } from "../../ports/store/run-index.ts";

export interface ResumeRefusal {
  /** Place of the newest event of the run at that time. */
  readonly events: number;
  readonly code: string | null;
  readonly what: string;
  readonly at: number;
}

type Answered = Pick<RunRow, "run" | "events">;

const nameOf = (run: string): string => `resume-refused/${run}`;

export async function noteRefusal(board: Board, run: string, refusal: ResumeRefusal): Promise<void> {
  await board.change([nameOf(run)], () => ({ keep: [refusal as unknown as JsonValue], result: undefined }));
}

/** null: nothing is known against it. */
export async function refusalOf(board: Pick<Board, "read">, { run, events }: Answered): Promise<ResumeRefusal | null> {
  const found = (await board.read(nameOf(run))) as (Page & ResumeRefusal) | null;
  return found?.events === events ? found : null;
}
