/** The programs that come with the system and not with npm: bubblewrap builds the sandbox, git the workspaces. */
import { spawnSync } from "node:child_process";

const WANTED = [
  { program: "bwrap", name: "bubblewrap" },
  { program: "git", name: "git" },
];
const MANAGERS = [
  { program: "apt-get", install: ["install", "-y", "--no-install-recommends"], refresh: ["update"] },
  { program: "dnf", install: ["install", "-y"], refresh: null },
  { program: "apk", install: ["add"], refresh: null },
  { program: "pacman", install: ["-S", "--noconfirm"], refresh: null },
];

function runs(program) {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

function call(program, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"], env }).status === 0;
}

/** Installs what is missing when this user may; else says how. Only Linux has a sandbox so far. */
export function installSystemPackages() {
  if (process.platform !== "linux") return;
  const missing = WANTED.filter(({ program }) => !runs(program)).map(({ name }) => name);
  if (missing.length === 0) return;
  const manager = MANAGERS.find(({ program }) => runs(program));
  const names = missing.join(" ");
  if (manager === undefined || process.getuid?.() !== 0) {
    const how =
      manager === undefined
        ? `Install ${names}`
        : `Run \`sudo ${manager.program} ${manager.install.join(" ")} ${names}\``;
    console.error(`setup: ${names} is missing and you are not root. ${how}, then run the same command again.`);
    process.exit(1);
  }
  console.log(`setup: installing ${names} with ${manager.program} …`);
  const install = () => call(manager.program, [...manager.install, ...missing]);
  const done = install() || (manager.refresh !== null && call(manager.program, manager.refresh) && install());
  if (!done) {
    console.error(`setup: ${names} could not be installed. Install it by hand, then run the same command again.`);
    process.exit(1);
  }
}
