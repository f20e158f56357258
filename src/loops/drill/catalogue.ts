/** The plants of a drill: from what the project holds and how its gates look at it. Same project, same gates, same plants. */
import { sha256 } from "../../base/digest.ts";
import { compileProtection } from "../../gates/protected-paths.ts";
import type { Plan } from "../../plan/plan.ts";
import { codePlants } from "./code-plants.ts";
import { leavesOf } from "./drill-plan.ts";
import { gatePlants, namedByGates } from "./gate-plants.ts";
import { type GivenPatch, patchedPaths, patchPlants } from "./patch-plants.ts";
import { pathPlants } from "./path-plants.ts";
import {
  BAD_KINDS,
  type Draft,
  HARMLESS_KINDS,
  isHarmless,
  type Plant,
  type PlantKind,
  type Untried,
} from "./plant.ts";
import { type Project, type Texts, wantedFiles } from "./project-files.ts";

export interface Catalogue {
  readonly plants: readonly Plant[];
  readonly untried: readonly Untried[];
  /** Changes that were found and are not among the plants, for there is no room. */
  readonly leftOut: number;
}

/** Changes of code are many and different; each other kind has one place in a turn. */
const PLACES: Partial<Record<PlantKind, number>> = { broken_source: 3 };

/** The files whose text the catalogue wants. */
export function filesToRead(plan: Plan, project: Project, patches: readonly GivenPatch[]): readonly string[] {
  const patched = patches.flatMap(({ text }) => patchedPaths(text));
  const paths = new Set(project.paths);
  return wantedFiles(
    project,
    [...namedByGates(plan, gatesOf(plan), project), ...patched].filter((path) => paths.has(path)),
  );
}

export function catalogue(
  plan: Plan,
  project: Project,
  texts: Texts,
  { patches, most }: { readonly patches: readonly GivenPatch[]; readonly most: number },
): Catalogue {
  const leaves = leavesOf(plan);
  const gates = gatesOf(plan);
  const looks = {
    inspections: leaves.flatMap((leaf) => (leaf.kind === "inspection" ? [leaf] : [])),
    isProtected: compileProtection(plan.protect, project.folder),
    approvals: leaves.flatMap(({ kind, id }) => (kind === "approval" ? [id] : [])),
  };
  const parts = [
    codePlants(texts),
    gatePlants(project, texts, namedByGates(plan, gates, project)),
    pathPlants(project, texts, looks),
    patchPlants(
      texts,
      patches,
      gates.some(({ judge }) => judge.by === "metric"),
    ),
  ];
  const drafts = parts.flatMap((part) => part.drafts);
  const chosen = choose(drafts, most);
  return {
    plants: numbered(chosen),
    untried: parts.flatMap(({ untried }) => untried),
    leftOut: drafts.length - chosen.length,
  };
}

function gatesOf(plan: Plan) {
  return leavesOf(plan).flatMap((leaf) => (leaf.kind === "gate" ? [leaf] : []));
}

/** Turn by turn, so that no kind takes the place of another; harmless changes are never left out altogether. */
function choose(drafts: readonly Draft[], most: number): readonly Draft[] {
  const queues = new Map<PlantKind, Draft[]>([...HARMLESS_KINDS, ...BAD_KINDS].map((kind) => [kind, []]));
  const keyed = drafts.map((draft) => ({ draft, key: sha256(`${draft.kind} ${draft.why}`) }));
  for (const { draft } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) queues.get(draft.kind)?.push(draft);
  const chosen: Draft[] = [];
  while (chosen.length < most && [...queues.values()].some((queue) => queue.length > 0))
    for (const [kind, queue] of queues) chosen.push(...queue.splice(0, PLACES[kind] ?? 1));
  return chosen.slice(0, most);
}

/** Bad ones first, in the order of their kinds. */
function numbered(drafts: readonly Draft[]): readonly Plant[] {
  return [...BAD_KINDS, ...HARMLESS_KINDS].flatMap((kind) =>
    drafts
      .filter((draft) => draft.kind === kind)
      .map(
        (draft, at): Plant => ({
          id: `${kind}-${at + 1}`,
          expect: isHarmless(kind) ? "accept" : "reject",
          ...draft,
        }),
      ),
  );
}
