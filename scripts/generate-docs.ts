/** Writes docs/reference/ from the code. `--check` writes nothing and fails when a page is not what the code says. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { blueprintJsonSchema } from "../src/blueprint/json-schema.ts";
import { projectJsonSchema } from "../src/blueprint/project/json-schema.ts";
import { explainAll } from "../src/cli/catalogues.ts";
import { renderCliReference } from "../src/cli/help.ts";
import { catalogues } from "./docs/catalogues.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { eventsPage } from "./docs/events-page.ts";
import { layersPage } from "./docs/layers-page.ts";
import { statesPage } from "./docs/states-page.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const FOLDER = join(ROOT, "docs", "reference");

/** File name → text of every page. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["states.md", statesPage()],
    ["events.md", eventsPage(join(ROOT, "src", "run", "events.ts"))],
    ["errors.md", errorsPage(await catalogues(ROOT), explainAll())],
    ["cli.md", await renderCliReference()],
    ["layers.md", await layersPage(ROOT)],
    ["pawl.schema.json", `${JSON.stringify(projectJsonSchema(), null, 2)}\n`],
    ["blueprint.schema.json", `${JSON.stringify(blueprintJsonSchema(), null, 2)}\n`],
  ]);
}

function stored(name: string): string | undefined {
  try {
    return readFileSync(join(FOLDER, name), "utf8");
  } catch {
    return undefined;
  }
}

/** The first line that differs, as a person wants to see it. */
function difference(name: string, found: string | undefined, wanted: string): string {
  if (found === undefined) return `${name}: missing`;
  const [old, fresh] = [found.split("\n"), wanted.split("\n")];
  const at = fresh.findIndex((line, index) => line !== old[index]);
  const line = at === -1 ? fresh.length : at;
  return `${name}:${line + 1}\n  - ${old[line] ?? "(end)"}\n  + ${fresh[line] ?? "(end)"}`;
}

/** One entry for each page that is stale, missing or left over. */
export async function staleReference(): Promise<string[]> {
  const pages = await referencePages();
  const stale = [...pages].flatMap(([name, wanted]) => {
    const found = stored(name);
    return found === wanted ? [] : [difference(name, found, wanted)];
  });
  const extra = readdirSync(FOLDER).filter((name) => !pages.has(name));
  return [...stale, ...extra.map((name) => `${name}: nothing writes it`)];
}

async function write(): Promise<void> {
  const pages = await referencePages();
  mkdirSync(FOLDER, { recursive: true });
  for (const name of readdirSync(FOLDER)) if (!pages.has(name)) rmSync(join(FOLDER, name));
  for (const [name, text] of pages) writeFileSync(join(FOLDER, name), text);
  console.log(`docs: wrote ${pages.size} pages to docs/reference/`);
}

async function check(): Promise<void> {
  const stale = await staleReference();
  if (stale.length === 0) return console.log("docs: docs/reference/ is fresh");
  console.error(`docs: ${stale.length} stale in docs/reference/:\n${stale.join("\n")}\nRun: npm run docs`);
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await (process.argv.includes("--check") ? check() : write());
}
