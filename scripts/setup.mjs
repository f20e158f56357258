/**
 * Brings a clone to the point where everything runs: checks Node, installs packages (npm's and the system's), builds `dist/`.
 * Plain JavaScript without dependencies, because it runs before any is there. Running it again does nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { root, withLock } from "./lock.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const LEAST = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return;
  console.error(
    `Pawl needs Node ${LEAST.join(".")} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
  console.error("Install a newer one (https://nodejs.org, or `nvm install 24`) and run the same command again.");
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** What is wrong with one installed package, or null. An optional one may be absent: it can be for another machine. */
function whyPackage(directory, path, entry, found) {
  if (path === "" || entry.link === true) return null;
  if (found === undefined) return entry.optional === true || entry.devOptional === true ? null : `${path} is missing`;
  if (found.version !== entry.version) return `${path} is not as locked`;
  return existsSync(join(directory, path)) ? null : `${path} is gone`;
}

/**
 * Why packages must be installed, or null when they are as the lockfile says. npm writes the list of what it
 * installed last of all, so an install that was interrupted is seen as missing.
 */
function whyInstall(directory) {
  const wanted = readJson(join(directory, "package-lock.json"));
  if (wanted === undefined) return "package-lock.json cannot be read";
  const installed = readJson(join(directory, "node_modules", ".package-lock.json"));
  if (installed === undefined) return "node_modules is missing or incomplete";
  const reasons = Object.entries(wanted.packages).map(([path, entry]) =>
    whyPackage(directory, path, entry, installed.packages[path]),
  );
  return reasons.find((reason) => reason !== null) ?? null;
}

/** The environment without what an outer npm says of its own script; the user's npm settings stay. */
function cleanEnvironment() {
  const own =
    /^(npm_lifecycle_|npm_package_|npm_command$|npm_config_(local_prefix|omit|production|include|only)$|NODE_ENV$|INIT_CWD$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}

function npm(args) {
  const script = process.env.npm_execpath ?? "";
  const byNode = /npm-cli\.c?js$/.test(script) && existsSync(script);
  const command = byNode ? process.execPath : "npm";
  const options = {
    cwd: root,
    env: cleanEnvironment(),
    stdio: "inherit",
    shell: !byNode && process.platform === "win32",
  };
  return spawnSync(command, byNode ? [script, ...args] : args, options);
}

function install() {
  const why = whyInstall(root);
  if (why === null) return;
  console.log(`setup: installing packages with npm ci (${why}) …`);
  const result = npm(["ci", "--include=dev", "--no-audit", "--no-fund"]);
  if (result.error !== undefined || result.status !== 0) {
    console.error(`setup: npm ci failed${result.error === undefined ? "" : `: ${result.error.message}`}.`);
    console.error("Check the network and the registry (`npm config get registry`), then run the same command again.");
    process.exit(1);
  }
}

/** Checks, installs, builds. Two at once: the second waits and then finds the work done. */
export async function setup() {
  checkNode();
  await withLock("setup", () => {
    installSystemPackages();
    install();
  });
  if (!(await build())) process.exit(1);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await setup();
