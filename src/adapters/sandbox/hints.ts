/** What to do when a wall cannot be built here. */
import { existsSync, readFileSync } from "node:fs";

const INSTALLERS = [
  ["/usr/bin/apt-get", "apt-get install -y bubblewrap"],
  ["/usr/bin/dnf", "dnf install -y bubblewrap"],
  ["/usr/bin/pacman", "pacman -S bubblewrap"],
  ["/sbin/apk", "apk add bubblewrap"],
  ["/usr/bin/zypper", "zypper install -y bubblewrap"],
] as const;

export function installHint(exists: (path: string) => boolean = existsSync): string {
  const known = INSTALLERS.find(([path]) => exists(path))?.[1];
  return known === undefined
    ? "Install bubblewrap 0.8.0 or newer with the package manager of this system."
    : `Install bubblewrap 0.8.0 or newer, as root: ${known}`;
}

/** Settings that keep users from making namespaces: the value that forbids, and what to do. */
const SETTINGS = [
  ["/proc/sys/user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"],
  ["/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"],
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "1",
    "an AppArmor profile for bwrap that allows `userns`, or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  ],
] as const;

export function namespacesHint(read: (path: string) => string | undefined = readSetting): string {
  const remedies = SETTINGS.filter(([path, forbids]) => read(path) === forbids).map(([, , remedy]) => remedy);
  return remedies.length > 0
    ? `This system forbids namespaces to users. As root: ${remedies.join("; ")}.`
    : "Inside a container, start that container so that it may create user namespaces and mount /proc; else see `dmesg` for what was refused.";
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return undefined;
  }
}
