/** docs/reference/layers.md, from the layer table in .dependency-cruiser.mjs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { code, page, table } from "./markdown.ts";

interface LayerConfig {
  readonly LAYERS: Readonly<Record<string, readonly string[]>>;
  readonly LAYER_NOTES: Readonly<Record<string, readonly [holds: string, knowsNothingOf: string]>>;
  readonly PURE_LAYERS: readonly string[];
  readonly default: { readonly forbidden: readonly { readonly name: string; readonly comment: string }[] };
}

async function layerConfig(root: string): Promise<LayerConfig> {
  return (await import(pathToFileURL(join(root, ".dependency-cruiser.mjs")).href)) as LayerConfig;
}

export async function layersPage(root: string): Promise<string> {
  const config = await layerConfig(root);
  const rows = Object.entries(config.LAYERS).map(([layer, reach]) => {
    const [holds, knowsNothingOf] = config.LAYER_NOTES[layer] ?? ["", ""];
    const folder = existsSync(join(root, "src", layer))
      ? code(`src/${layer}/`)
      : `${code(`src/${layer}/`)} (not there yet)`;
    return [folder, holds, knowsNothingOf, reach.length === 0 ? "nothing" : reach.join(", ")];
  });
  return page(
    "Layers",
    "Imports point to the left. The table is `.dependency-cruiser.mjs`; `npm run layers` checks it, types included.",
    table(["folder", "holds", "knows nothing of", "may import"], rows),
    `Pure layers (no Node, no clock, no randomness, every branch covered): ${config.PURE_LAYERS.map(code).join(", ")}.`,
    "## Rules",
    table(
      ["rule", "what to do when it is broken"],
      config.default.forbidden.map((rule) => [code(rule.name), rule.comment]),
    ),
  );
}
