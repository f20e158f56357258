/** Containment: what walls, supervision and workspaces cost beside the bare programs that do the same without promises. */
import { measureSpawns } from "../containment/spawns.ts";
import { measureStarts } from "../containment/starts.ts";
import { measureTrees } from "../containment/trees.ts";
import type { Figure, FigureResult } from "../figure.ts";

export const containment: Figure = {
  name: "containment",
  async measure(context) {
    const starts = await measureStarts(context);
    const spawns = await measureSpawns(context);
    const trees = await measureTrees(context);
    const all: readonly FigureResult[] = [starts, spawns, trees];
    return {
      tables: all.flatMap(({ tables }) => tables),
      bars: all.flatMap(({ bars }) => bars),
      samples: { starts: starts.samples, spawns: spawns.samples, trees: trees.samples },
    };
  },
};
