/** What a drill says: which plants the gates caught, which harmless changes they let pass. */
import type { StopReason, WaitReason } from "../../run/reasons.ts";
import type { Plant } from "./plant.ts";

/** How the run of a plant ended. */
export interface PlantEnd {
  readonly status: string;
  readonly reason: StopReason | WaitReason | null;
  /** The gate that did not pass. */
  readonly gate: string | null;
  /** The tree that the run would go on with still holds something of what was planted. */
  readonly holds: boolean;
}

/** `asked`: a person would have been. `undone`: what is judged and goes on does not hold it. */
export type Verdict = "rejected" | "asked" | "undone" | "accepted";

export interface Tried {
  readonly plant: Pick<Plant, "id" | "kind" | "expect" | "why">;
  readonly verdict: Verdict;
  readonly gate: string | null;
  readonly ms: number;
  readonly run: string;
  /** The gates did what they should. */
  readonly isRight: boolean;
}

export interface Score {
  readonly planted: number;
  readonly caught: number;
  readonly harmless: number;
  readonly passed: number;
}

export function verdictOf({ status, reason, holds }: PlantEnd): Verdict {
  if (status === "succeeded") return holds ? "accepted" : "undone";
  return status === "waiting" || reason === "escalated" ? "asked" : "rejected";
}

export function isRight({ expect }: Pick<Plant, "expect">, verdict: Verdict): boolean {
  return (expect === "accept") === (verdict === "accepted");
}

export function scoreOf(tried: readonly Tried[]): Score {
  const count = (expect: Plant["expect"], right: boolean): number =>
    tried.filter((each) => each.plant.expect === expect && (each.isRight || !right)).length;
  return {
    planted: count("reject", false),
    caught: count("reject", true),
    harmless: count("accept", false),
    passed: count("accept", true),
  };
}
