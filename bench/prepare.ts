/** Prepare: what the bench needs before it measures: Pawl as it is shipped, and the peers. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PEERS = fileURLToPath(new URL("./peers/", import.meta.url));

/** Compiles Pawl: the bench measures what a user installs, not its source. Throws when it does not compile. */
export function buildPawl(log: (text: string) => void): void {
  log("building Pawl");
  const build = spawnSync("npm", ["run", "--silent", "build"], { cwd: ROOT, encoding: "utf8" });
  if (build.status !== 0) throw new Error(`npm run build failed\n${build.stdout}${build.stderr}`);
}

/** Installs the peers when they are missing. Resolves to whether they are there: without them their bars are not met. */
export function installPeers(log: (text: string) => void): boolean {
  if (existsSync(`${PEERS}node_modules/.package-lock.json`)) return true;
  log(
    "installing the peers into bench/peers; where better-sqlite3 has no binary for this Node it is compiled (up to 3 minutes)",
  );
  const install = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: PEERS, stdio: ["ignore", 2, 2] });
  if (install.status === 0) return true;
  log(`the peers could not be installed (npm ci ended with ${install.status}); going on without them`);
  return false;
}
