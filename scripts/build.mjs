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
import { join } from "node:path";
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
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest && existsSync(join(dist, "cli", "main.js"));
}

/** Checks the types and writes the declarations. */
function declare() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  return result.status === 0;
}

/** Writes the program in few files: a process that loads every module by itself starts late. Other packages stay packages. */
async function bundle() {
  const { rolldown } = await import("rolldown");
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const build = await rolldown({
    cwd: root,
    input: { index: "src/index.ts", "cli/main": "src/cli/main.ts" },
    external: [...Object.keys(dependencies), ...builtinModules, /^node:/],
    platform: "node",
    // For Node this package has CommonJS only, which can be neither joined well nor left out in part.
    resolve: { alias: { yaml: join(root, "node_modules", "yaml", "browser", "index.js") } },
  });
  try {
    await build.write({ dir: dist, format: "esm", sourcemap: true, chunkFileNames: "parts/[name]-[hash].js" });
  } finally {
    await build.close();
  }
  mkdirSync(join(dist, "licenses"), { recursive: true });
  for (const name of JOINED) copyFileSync(join(root, "node_modules", name, "LICENSE"), join(dist, "licenses", name));
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
