/** A path as policy sees it and as the file system is asked for it: one spelling for both, so that what was judged is what is opened. */

import { normalisePath } from "../../../base/match/glob.ts";
import { visibleLine } from "../../../base/visible.ts";
import { sealedPartOf } from "../../../plan/paths/sealed-names.ts";
import { ToolProblem } from "../tool-problem.ts";

const LONGEST = 4096;

/** From the root of the workspace; one outside it is absolute or begins with `../`. Throws for what no path can be. */
export function placeOf(written: string): string {
  if (written === "" || written.length > LONGEST || written.includes("\0"))
    throw new ToolProblem(`${shownPath(written)} is no path`);
  return normalisePath(written);
}

/** The names on the way from the root. Throws for a place outside it. */
export function stepsTo(place: string): readonly string[] {
  if (place === ".") return [];
  const steps = place.split("/");
  if (steps[0] === "" || steps[0] === "..")
    throw new ToolProblem(`${shownPath(place)} is outside the workspace: give a path from its root`);
  return steps;
}

/** What a command may not write behind its wall, a tool may not write either. */
export function checkWritable(place: string): void {
  const sealed = sealedPartOf(place);
  if (sealed !== undefined)
    throw new ToolProblem(`${shownPath(place)} is sealed: ${shownPath(sealed)} belongs to git, to Pawl or to a tool`);
}

export function shownPath(path: string): string {
  return visibleLine(path, 200);
}
