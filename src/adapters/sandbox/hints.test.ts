import { describe, expect, it } from "vitest";
import { installHint, namespacesHint } from "./hints.ts";

describe("installHint", () => {
  it.each([
    ["/usr/bin/apt-get", "apt-get install -y bubblewrap"],
    ["/usr/bin/dnf", "dnf install -y bubblewrap"],
    ["/usr/bin/pacman", "pacman -S bubblewrap"],
    ["/sbin/apk", "apk add bubblewrap"],
    ["/usr/bin/zypper", "zypper install -y bubblewrap"],
  ])("names the command of %s", (tool, command) => {
    expect(installHint((path) => path === tool)).toBe(`Install bubblewrap 0.8.0 or newer, as root: ${command}`);
  });

  it("names the program where no installer is known", () => {
    expect(installHint(() => false)).toContain("bubblewrap 0.8.0");
  });
});

describe("namespacesHint", () => {
  it.each([
    ["/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"],
    ["/proc/sys/kernel/unprivileged_userns_clone", "0", "unprivileged_userns_clone=1"],
    ["/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor profile"],
  ])("names the setting %s when it is %s", (setting, value, remedy) => {
    const hint = namespacesHint((path) => (path === setting ? value : undefined));
    expect(hint).toContain(remedy);
    expect(namespacesHint((path) => (path === setting ? "7" : undefined))).not.toContain(remedy);
  });

  it("speaks of containers when no setting forbids it", () => {
    expect(namespacesHint(() => undefined)).toContain("container");
  });
});
