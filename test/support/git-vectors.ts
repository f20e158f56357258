/**
 * Ways in which a tree can make git, or a program around it, run a command, write to another place or show something else
 * than what is there. Each plants itself into a workspace as a hostile stage would; none may have any effect on the host.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Trap {
  /** The folder of the workspace. */
  readonly folder: string;
  /** A command that leaves a mark when it runs on the host. */
  readonly command: string;
  /** A folder outside that must stay as it is. */
  readonly outside: string;
  /** A commit of the project. */
  readonly base: string;
}

export interface Vector {
  readonly name: string;
  plant(trap: Trap): void;
}

const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
};
const script = ({ command }: Trap): string => `#!/bin/sh\n${command}\ncat\n`;

/** The private repository; where there is only a link to one, a repository of the attacker's takes its place. */
function own({ folder, base }: Trap): string {
  const dir = join(folder, ".git");
  if (!lstatSync(dir).isDirectory()) {
    rmSync(dir);
    for (const name of ["objects/info", "objects/pack", "refs/heads", "info"])
      mkdirSync(join(dir, name), { recursive: true });
    put(join(dir, "HEAD"), "ref: refs/heads/pawl\n");
    put(join(dir, "refs/heads/pawl"), `${base}\n`);
    put(join(dir, "config"), "[core]\n\trepositoryformatversion = 0\n");
  }
  return dir;
}

const config = (trap: Trap, text: string): void =>
  writeFileSync(join(own(trap), "config"), `\n${text}\n`, { flag: "a" });
const setting = (name: string, text: (trap: Trap) => string): Vector => ({
  name,
  plant: (trap) => config(trap, text(trap)),
});

/** A program that git runs for files with an attribute. */
const driver = (name: string, attribute: string, text: (trap: Trap) => string): Vector => ({
  name,
  plant(trap) {
    config(trap, text(trap));
    put(join(trap.folder, ".gitattributes"), `* ${attribute}\n`);
    put(join(trap.folder, "src/.gitattributes"), `* ${attribute}\n`);
    put(join(trap.folder, "a"), "changed by the attacker\n");
    put(join(trap.folder, "driven"), "driven\n");
  },
});

const HOOKS = [
  ...["applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"],
  ...["commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"],
  ...["proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc"],
  ...["post-rewrite", "fsmonitor-watchman", "query-watchman", "post-index-change", "sendemail-validate"],
];

function evilRepository(trap: Trap, dir: string): void {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "hooks"])
    mkdirSync(join(dir, name), { recursive: true });
  put(join(dir, "HEAD"), "ref: refs/heads/main\n");
  put(
    join(dir, "config"),
    `[core]\n\tbare = false\n\tfsmonitor = "${trap.command}; false"\n\tsshCommand = "${trap.command}"\n`,
  );
  for (const hook of HOOKS) put(join(dir, "hooks", hook), script(trap), 0o755);
}

export const VECTORS: readonly Vector[] = [
  setting("core.fsmonitor", ({ command }) => `[core]\n\tfsmonitor = "${command}; false"`),
  {
    name: "core.hooksPath",
    plant(trap) {
      for (const hook of HOOKS) put(join(trap.folder, "evil-hooks", hook), script(trap), 0o755);
      config(trap, "[core]\n\thooksPath = evil-hooks");
    },
  },
  {
    name: "hooks",
    plant(trap) {
      for (const hook of HOOKS) put(join(own(trap), "hooks", hook), script(trap), 0o755);
    },
  },
  driver(
    "filter clean",
    "filter=evil",
    ({ command }) => `[filter "evil"]\n\tclean = "${command}; cat"\n\trequired = true`,
  ),
  driver(
    "filter smudge",
    "filter=evil",
    ({ command }) => `[filter "evil"]\n\tsmudge = "${command}; cat"\n\trequired = true`,
  ),
  driver("filter process", "filter=evil", ({ command }) => `[filter "evil"]\n\tprocess = "${command}"`),
  driver(
    "filter of a known name",
    "filter=lfs",
    ({ command }) => `[filter "lfs"]\n\tclean = "${command}; cat"\n\tsmudge = "${command}; cat"`,
  ),
  driver("diff textconv", "diff=evil", ({ command }) => `[diff "evil"]\n\ttextconv = "${command}; cat"`),
  driver("diff command", "diff=evil", ({ command }) => `[diff "evil"]\n\tcommand = "${command}"`),
  setting("diff.external", ({ command }) => `[diff]\n\texternal = "${command}"`),
  driver("merge driver", "merge=evil", ({ command }) => `[merge "evil"]\n\tdriver = "${command}"`),
  driver("attributes that hide", "-diff -text binary export-ignore", () => ""),
  driver("working-tree-encoding", "working-tree-encoding=UTF-16 text", () => ""),
  setting(
    "core.pager",
    ({ command }) => `[core]\n\tpager = "${command}"\n[pager]\n\tdiff = "${command}"\n\tlog = "${command}"`,
  ),
  setting("core.editor", ({ command }) => `[core]\n\teditor = "${command}"\n[sequence]\n\teditor = "${command}"`),
  setting(
    "core.sshCommand",
    ({ command }) => `[core]\n\tsshCommand = "${command}"\n[remote "origin"]\n\turl = ssh://x/y`,
  ),
  setting("core.gitProxy", ({ command }) => `[core]\n\tgitProxy = "${command}"\n[remote "origin"]\n\turl = git://x/y`),
  setting("core.askPass", ({ command }) => `[core]\n\taskPass = "${command}"`),
  setting("credential.helper", ({ command }) => `[credential]\n\thelper = "!${command}"`),
  setting(
    "alias",
    ({ command }) => `[alias]\n\tst = "!${command}"\n\tls-files = "!${command}"\n\tread-tree = "!${command}"`,
  ),
  {
    name: "include.path",
    plant(trap) {
      put(join(trap.folder, "more.config"), `[core]\n\tfsmonitor = "${trap.command}; false"\n`);
      config(trap, "[include]\n\tpath = ../more.config");
    },
  },
  {
    name: "includeIf",
    plant(trap) {
      put(join(trap.folder, "more.config"), `[core]\n\tfsmonitor = "${trap.command}; false"\n`);
      config(trap, '[includeIf "gitdir:/**"]\n\tpath = ../more.config');
    },
  },
  {
    name: "config.worktree",
    plant(trap) {
      config(trap, "[extensions]\n\tworktreeConfig = true");
      put(join(own(trap), "config.worktree"), `[core]\n\tfsmonitor = "${trap.command}; false"\n`);
    },
  },
  setting("a configuration that cannot be read", () => `[core\n\0\n[[[ ${"x".repeat(100_000)}`),
  {
    name: ".git file that leads to another repository",
    plant(trap) {
      evilRepository(trap, join(trap.folder, "evil.git"));
      rmSync(join(trap.folder, ".git"), { recursive: true, force: true });
      put(join(trap.folder, ".git"), "gitdir: evil.git\n");
    },
  },
  {
    name: ".git link to another repository",
    plant(trap) {
      evilRepository(trap, join(trap.folder, "evil.git"));
      rmSync(join(trap.folder, ".git"), { recursive: true, force: true });
      symlinkSync("evil.git", join(trap.folder, ".git"));
    },
  },
  {
    name: ".git link out of the workspace",
    plant(trap) {
      rmSync(join(trap.folder, ".git"), { recursive: true, force: true });
      symlinkSync(trap.outside, join(trap.folder, ".git"));
    },
  },
  {
    name: "commondir",
    plant(trap) {
      evilRepository(trap, join(trap.folder, "evil.git"));
      put(join(own(trap), "commondir"), "../evil.git\n");
    },
  },
  {
    name: "info/attributes",
    plant(trap) {
      config(trap, `[filter "evil"]\n\tclean = "${trap.command}; cat"`);
      put(join(own(trap), "info/attributes"), "* filter=evil\n");
      put(join(trap.folder, "a"), "changed\n");
    },
  },
  {
    name: "info/exclude",
    plant(trap) {
      put(join(own(trap), "info/exclude"), "*\n");
      put(join(trap.folder, "hidden"), "hidden\n");
    },
  },
  { name: "nested bare repository", plant: (trap) => evilRepository(trap, join(trap.folder, "sub/bare")) },
  { name: "the tree as a bare repository", plant: (trap) => evilRepository(trap, trap.folder) },
  { name: "nested repository", plant: (trap) => evilRepository(trap, join(trap.folder, "nested/.git")) },
  {
    name: "nested repository in a tracked folder",
    plant: (trap) => evilRepository(trap, join(trap.folder, "src/.git")),
  },
  {
    name: "a working tree that is called .git",
    plant(trap) {
      evilRepository(trap, join(own(trap), "worktrees/.git"));
      put(join(own(trap), "worktrees/.git/gitdir"), `${trap.outside}/.git\n`);
      put(join(own(trap), "worktrees/.git/commondir"), "../..\n");
    },
  },
  {
    name: "a working tree that leads out",
    plant(trap) {
      mkdirSync(join(own(trap), "worktrees/w"), { recursive: true });
      put(join(own(trap), "worktrees/w/gitdir"), `${trap.outside}/.git\n`);
      put(join(own(trap), "worktrees/w/HEAD"), "ref: refs/heads/pawl\n");
    },
  },
  {
    name: "submodule with update command",
    plant(trap) {
      put(join(trap.folder, ".gitmodules"), `[submodule "s"]\n\tpath = s\n\turl = ./s\n\tupdate = !${trap.command}\n`);
      config(trap, `[submodule "s"]\n\tactive = true\n\turl = ./s\n\tupdate = "!${trap.command}"`);
    },
  },
  {
    name: "submodule with a command as its address",
    plant: (trap) =>
      put(
        join(trap.folder, ".gitmodules"),
        `[submodule "s"]\n\tpath = s\n\turl = "ext::sh -c ${trap.command.replaceAll(" ", "%20")}"\n`,
      ),
  },
  {
    name: "submodule with a name that climbs",
    plant: (trap) =>
      put(join(trap.folder, ".gitmodules"), '[submodule "../../hooks"]\n\tpath = s\n\turl = -u./payload\n'),
  },
  {
    name: "replace references",
    plant(trap) {
      const evil = "0123456789".repeat(4);
      put(join(own(trap), "refs/replace", trap.base), `${evil}\n`);
      put(join(own(trap), "packed-refs"), `# pack-refs with: peeled\n${evil} refs/replace/${trap.base}\n`);
    },
  },
  { name: "grafts", plant: (trap) => put(join(own(trap), "info/grafts"), `${trap.base} ${"0".repeat(40)}\n`) },
  { name: "shallow", plant: (trap) => put(join(own(trap), "shallow"), `${trap.base}\n${"f".repeat(40)}\n`) },
  {
    name: "alternates that lead out",
    plant: (trap) =>
      put(join(own(trap), "objects/info/alternates"), `${trap.outside}\n/etc\n/proc/self/root\n../../../../..\n`),
  },
  setting(
    "core.alternateRefsCommand",
    ({ command }) => `[core]\n\talternateRefsCommand = "${command}"\n\talternateRefsPrefixes = refs`,
  ),
  {
    name: "entries that pretend not to have changed",
    plant(trap) {
      own(trap);
      put(join(trap.folder, "a"), "hidden change\n");
      try {
        execFileSync("git", ["update-index", "--skip-worktree", "--assume-unchanged", "a"], {
          cwd: trap.folder,
          stdio: "ignore",
        });
      } catch {
        // A repository without an index has no such entry to set.
      }
    },
  },
  {
    name: "an index that is no index",
    plant: (trap) => put(join(own(trap), "index"), "DIRC\0\0\0\x02\xff\xff\xff\xff"),
  },
  {
    name: "pipes in the repository",
    plant(trap) {
      for (const name of ["index", "HEAD", "packed-refs", "objects/info/alternates"]) {
        rmSync(join(own(trap), name), { force: true });
        execFileSync("mkfifo", [join(own(trap), name)]);
      }
      execFileSync("mkfifo", [join(own(trap), "objects/pack/pack-0000000000000000000000000000000000000000.idx")]);
    },
  },
  {
    name: "remote with programs of its own",
    plant: (trap) =>
      config(
        trap,
        `[remote "origin"]\n\turl = ${trap.outside}\n\tpushurl = ${trap.outside}\n\treceivepack = "${trap.command}"\n\tuploadpack = "${trap.command}"\n\tvcs = evil`,
      ),
  },
  setting(
    "url.insteadOf",
    ({ command }) => `[url "ext::sh -c '${command}' "]\n\tinsteadOf = /\n[protocol "ext"]\n\tallow = always`,
  ),
  setting("uploadpack.packObjectsHook", ({ command }) => `[uploadpack]\n\tpackObjectsHook = "${command}"`),
  setting("core.worktree", ({ outside }) => `[core]\n\tworktree = ${outside}`),
  {
    name: "linked object folder",
    plant(trap) {
      rmSync(join(own(trap), "objects"), { recursive: true, force: true });
      symlinkSync(trap.outside, join(own(trap), "objects"));
    },
  },
  {
    name: "linked reference folder",
    plant(trap) {
      rmSync(join(own(trap), "refs"), { recursive: true, force: true });
      symlinkSync(trap.outside, join(own(trap), "refs"));
    },
  },
  {
    name: "references with names that climb",
    plant: (trap) =>
      put(
        join(own(trap), "packed-refs"),
        `# pack-refs with: peeled fully-peeled sorted\n${trap.base} refs/heads/../../../../escape\n${trap.base} refs/pawl/bases/x\n`,
      ),
  },
  {
    name: "HEAD that leads elsewhere",
    plant: (trap) => put(join(own(trap), "HEAD"), "ref: refs/heads/../../../../../escape\n"),
  },
  {
    name: "HEAD as a link",
    plant(trap) {
      rmSync(join(own(trap), "HEAD"));
      symlinkSync(join(trap.outside, "file"), join(own(trap), "HEAD"));
    },
  },
  {
    name: "template with hooks",
    plant(trap) {
      for (const hook of HOOKS) put(join(trap.folder, "template/hooks", hook), script(trap), 0o755);
      config(trap, "[init]\n\ttemplateDir = template");
    },
  },
  setting(
    "gpg.program",
    ({ command }) => `[gpg]\n\tprogram = "${command}"\n[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true`,
  ),
  setting(
    "rerere",
    ({ command }) => `[rerere]\n\tenabled = true\n\tautoUpdate = true\n[mergetool "x"]\n\tcmd = "${command}"`,
  ),
  setting(
    "garbage collection",
    ({ command }) =>
      `[gc]\n\tauto = 1\n\trecentObjectsHook = "${command}"\n[maintenance]\n\tauto = true\n\tstrategy = incremental`,
  ),
  setting(
    "archive filters",
    ({ command }) => `[tar "tar"]\n\tcommand = "${command}"\n[tar "tar.gz"]\n\tcommand = "${command}"`,
  ),
  setting("trailer command", ({ command }) => `[trailer "x"]\n\tcommand = "${command}"\n\tcmd = "${command}"`),
  setting(
    "interactive filter",
    ({ command }) => `[interactive]\n\tdiffFilter = "${command}"\n[sendemail]\n\tsmtpserver = ${command}`,
  ),
  {
    name: "names that look like options",
    plant(trap) {
      for (const name of [
        "--upload-pack=x",
        "-c",
        "--exec=touch",
        "--checkpoint=1",
        `--checkpoint-action=exec=sh x`,
        "-T",
        "--files0-from=x",
      ])
        put(join(trap.folder, name), trap.command);
    },
  },
  {
    name: "folders that lead out",
    plant(trap) {
      rmSync(join(trap.folder, "src"), { recursive: true, force: true });
      symlinkSync(trap.outside, join(trap.folder, "src"));
      symlinkSync("/", join(trap.folder, "root"));
      symlinkSync("../../../../..", join(trap.folder, "up"));
    },
  },
  {
    name: "ignore files that hide themselves",
    plant(trap) {
      put(join(trap.folder, ".gitignore"), "*\n");
      put(join(trap.folder, "d/.gitignore"), "*\n");
      put(join(trap.folder, "d/hidden"), "hidden\n");
    },
  },
  {
    name: "agent and editor configuration",
    plant(trap) {
      put(
        join(trap.folder, ".lfsconfig"),
        `[lfs]\n\turl = ${trap.outside}\n[lfs "customtransfer.x"]\n\tpath = ${trap.command}\n`,
      );
      put(join(trap.folder, ".mailmap"), "A <a> B <b>\n");
      put(join(trap.folder, ".envrc"), trap.command);
      put(join(trap.folder, ".git-blame-ignore-revs"), "x\n");
    },
  },
];
