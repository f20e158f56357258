/** Builds `dist/` from `src/` when it is not the product of exactly these sources. Also the set-up of the process tests. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, withLock } from "./lock.mjs";

/** The packages of the pure layers, which every start reads, each some hundred kilobytes in many files: they become part of ours. */
const JOINED = ["re2js", "unbash", "yaml"];

const dist = join(root, "dist");
const stamp = join(dist, ".sources");

function sources() {
  const names = readdirSync(join(root, "src"), { recursive: true }).map(String);
  return names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts")).sort();
}

function digestOfSources() {
  const digest = createHash("sha256");
  const files = [
    "tsconfig.json",
    "tsconfig.build.json",
    "package-lock.json",
    "scripts/build.mjs",
    ...sources().map((name) => join("src", name)),
  ];
  for (const file of files)
    digest
      .update(`${file}\n`)
      .update(readFileSync(join(root, file)))
      .update("\n");
  return digest.digest("hex");
}

function isFresh(digest) {
  const programs = [join(dist, "cli", "main.js"), join(dist, "harness", "main.js")];
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && programs.every((file) => existsSync(file));
}

/** Checks the types and writes the declarations. */
function declare() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  return result.status === 0;
}

const OF_NODE = [...builtinModules, /^node:/];

/** Writes the program in few files: a process that loads every module by itself starts late. Other packages stay packages. */
async function bundle() {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const input = {
    index: "src/index.ts",
    "cli/main": "src/cli/main.ts",
    "loop-runtime": "src/runtime/compat/loop-runtime.ts",
  };
  await write(dist, input, [...Object.keys(dependencies), ...OF_NODE], true);
  for (const name of JOINED) keepLicense(name);
}

/** The program of the harness is shown behind walls, where no package is: everything it needs becomes part of it. */
async function bundleHarness() {
  const chunks = await write(join(dist, "harness"), { main: "src/harness/main.ts" }, OF_NODE, false);
  const names = chunks.flatMap(({ moduleIds = [] }) => moduleIds.flatMap((id) => packageOf(id) ?? []));
  for (const name of new Set(names)) keepLicense(name);
}

/** What a start of the command line reads, and what it takes to open a runtime, are a file each: many small files load slowly. */
const STARTS = { front: join(root, "src", "cli", "run-cli.ts"), core: join(root, "src", "index.ts") };

function joinStarts() {
  const needed = {};
  return (id, graph) => {
    const isNeeded = (name) => {
      needed[name] ??= withImports(STARTS[name], graph);
      return needed[name].has(id);
    };
    return Object.keys(STARTS).find(isNeeded) ?? null;
  };
}

/** A module and everything that is loaded with it. */
function withImports(entry, graph) {
  const found = new Set();
  const open = [entry];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

async function write(dir, input, external, sourcemap) {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    cwd: root,
    input,
    external,
    platform: "node",
    // For Node this package has CommonJS only, which can be neither joined well nor left out in part.
    resolve: { alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") } },
  });
  try {
    const chunkFileNames = "parts/[name]-[hash].js";
    const codeSplitting = { groups: [{ name: joinStarts(), debugName: "starts" }] };
    const { output } = await build.write({ dir, format: "esm", sourcemap, chunkFileNames, codeSplitting });
    return output;
  } finally {
    await build.close();
  }
}

function packageOf(id) {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]?.replaceAll("\\", "/");
}

function keepLicense(name) {
  const folder = join(root, "node_modules", name);
  const file = existsSync(folder) && readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) return;
  const to = join(dist, "licenses", name);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(folder, file), to);
}

async function compile(digest) {
  console.log("setup: building dist/ …");
  rmSync(stamp, { force: true });
  for (const name of readdirSync(dist)) {
    if (!name.startsWith(".")) rmSync(join(dist, name), { recursive: true });
  }
  if (!declare()) {
    console.error("setup: the build failed. Correct the errors above, then run the same command again.");
    return false;
  }
  await bundle();
  await bundleHarness();
  chmodSync(join(dist, "cli", "main.js"), 0o755);
  writeFileSync(stamp, digest);
  return true;
}

/** True when `dist/` is what the sources say. */
export async function build() {
  return (
    isFresh(digestOfSources()) ||
    withLock("build", () => {
      const digest = digestOfSources();
      return isFresh(digest) || compile(digest);
    })
  );
}

/** Called by vitest once, before the tests that start the built command line. */
export async function setup() {
  if (!(await build())) throw new Error("dist/ could not be built");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!(await build())) process.exitCode = 1;
}
