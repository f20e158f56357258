/** Pacer: says when the next commit of a group begins. */

/** `at_once`: as soon as nobody asks for more right now. `in_turn`: when every socket that is ready was heard; synced meanwhile. */
export type Pace = "at_once" | "in_turn";

const COMMITS_PER_TURN = 16;
const CROWD_MS = 4;

export function createPacer(flush: () => void) {
  let sinceTurn = 0;
  /** The pace of the commit that is to come; null: none is. */
  let coming: Pace | null = null;
  /** The last that came in turn was not alone. */
  let isCrowded = false;
  /** A sync is under way: whatever has time waits for it. */
  let isHeld = false;

  function inTurn(): void {
    sinceTurn = 0;
    setImmediate(flush);
  }

  function whenHeard(): void {
    if (isHeld) return;
    if (isCrowded) setTimeout(flush, CROWD_MS);
    else inTurn();
  }

  return {
    ask(pace: Pace): void {
      if (coming === "at_once" || coming === pace) return;
      coming = pace;
      sinceTurn += 1;
      if (pace === "in_turn") whenHeard();
      else if (sinceTurn >= COMMITS_PER_TURN) inTurn();
      else process.nextTick(flush);
    },
    /** A commit of so many begins; says at which pace. */
    begin(tasks: number): Pace | null {
      const pace = coming;
      isCrowded = pace === "in_turn" && tasks > 1;
      coming = null;
      return pace;
    },
    hold(): void {
      isHeld = true;
    },
    release(): void {
      isHeld = false;
      if (coming === "in_turn") inTurn();
    },
  };
}
