/** What an event names that lies outside the journal: artifacts and saved trees. */
import type { ArtifactRef, RunEvent } from "../events.ts";

export interface NamedThings {
  readonly artifacts: readonly { readonly what: string; readonly ref: ArtifactRef }[];
  readonly trees: readonly { readonly what: string; readonly id: string }[];
}

/** Every field by which any event names one of them. */
interface Naming {
  readonly at: number;
  readonly log?: ArtifactRef | undefined;
  readonly certificate?: ArtifactRef | undefined;
  readonly artifacts?: Readonly<Record<string, ArtifactRef>> | undefined;
  readonly tree?: string | undefined;
  readonly judged?: string | undefined;
  readonly base?: string | undefined;
  readonly commit?: string | undefined;
}

export function namedBy(event: RunEvent): NamedThings {
  const { log, certificate, artifacts = {}, tree, judged, base, commit }: Naming = event;
  const files: readonly (readonly [string, ArtifactRef | undefined])[] = [
    ["its log", log],
    ["its certificate", certificate],
    ...Object.entries(artifacts).map(([name, ref]) => [`its artifact ${name}`, ref] as const),
  ];
  const trees: readonly (readonly [string, string | undefined])[] = [
    ["its tree", tree],
    ["the tree it judged", judged],
    ["the tree it is compared with", base],
    ["the commit it asks about", commit],
  ];
  return {
    artifacts: files.flatMap(([what, ref]) => (ref === undefined ? [] : [{ what, ref }])),
    trees: trees.flatMap(([what, id]) => (id === undefined ? [] : [{ what, id }])),
  };
}
