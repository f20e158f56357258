/** Numbers as evidence. What cannot be read as one number is the worst score. */

/** `regex`: its first group, linear time. `json`: a path such as `a.b[0].c`. */
export type MetricSource = { readonly regex: string } | { readonly json: string };

export interface MetricRule {
  readonly direction: "higher" | "lower";
  readonly mode: "no_regress" | "improve" | "reach";
  /** For `reach`. */
  readonly target?: number;
  /** A difference that does not count, in the unit of the metric. Given as 0: the metric has no noise. */
  readonly tolerance?: number;
}

export interface MetricVerdict {
  readonly outcome: "pass" | "fail";
  readonly reason: string;
  /** Medians; null when there is no value. */
  readonly base: number | null;
  readonly candidate: number | null;
  /** A difference up to this is noise. */
  readonly noise: number;
}
