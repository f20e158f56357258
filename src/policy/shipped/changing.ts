/**
 * What is ordinary and changes the work or runs a program of it: a workspace is a private copy of which every tree is kept, and tests run the same
 * programs. What rewrites its history, fetches code or starts whatever a script names is asked about.
 */
import type { Rule } from "../rule.ts";
import { allow, arg, ask, OUTSIDE, words } from "./allow.ts";

const CHANGES_WORK = "It changes files of the work.";
const RUNS = "It runs a program of the project.";
const INSTALLS = "It fetches packages, and may run their code.";
/** Hooks and settings of git name programs. */
const INTO_GIT = arg("(?i)\\.git(/|$)");
/** It would take another shell, another place or another registry. */
const NPM_STEERS = arg("^(--(sc|shell|node|pre|gl|us|co|cw|dir|mod|reg)|-C|-g)");
/** A strategy is a program, and so is an editor. */
const STEERS_GIT = arg("^(-[sixeX]|--(str|e))");
const PM = "{npm,pnpm,yarn,bun}";

export const CHANGES: readonly Rule[] = [
  allow(
    "files",
    CHANGES_WORK,
    { run: ["{cp,mv,rm,rmdir,touch,chmod}", "**"] },
    {
      except: [arg("^(-[^-]*[^-rRfipnuvad]|--.)"), OUTSIDE, INTO_GIT],
      examples: {
        match: words("cp a b", "mv src/a.ts src/b.ts", "rm -rf dist", "touch a"),
        not: words("rm ../a", "cp a .git/hooks/x", "cp -t/x a", "mv --target-directory=x a", "ln -s a b", "./rm a"),
      },
    },
  ),
  allow(
    "git-work",
    CHANGES_WORK,
    { run: ["git", "{stash,checkout,switch,restore,cherry-pick,revert,mv}", "**"] },
    {
      except: [STEERS_GIT, OUTSIDE],
      examples: {
        match: words("git stash pop", "git checkout -b fix/a", "git restore src/a.ts", "git mv a b"),
        not: words("git push", "git reset a", "git -c a=b stash", "git cherry-pick -X a b", "git checkout ../a"),
      },
    },
  ),
  ask(
    "git-history",
    CHANGES_WORK,
    { run: ["git", "{merge,reset,rebase,branch,tag,rm,fetch,pull}", "**"] },
    {
      except: [STEERS_GIT, OUTSIDE],
      examples: {
        match: words("git reset --hard", "git branch -d a", "git merge a"),
        not: words(
          "git push",
          "git clean -fdx",
          "git -c a=b stash",
          "git config a b",
          "git merge -s a b",
          "git rebase --exec=a b",
        ),
      },
    },
  ),
  ask(
    "install",
    INSTALLS,
    { run: [PM, "{install,i,ci,add,remove,uninstall,update}", "**"] },
    {
      except: [NPM_STEERS, OUTSIDE],
      examples: {
        match: words("npm ci", "pnpm install --frozen-lockfile", "npm install -D x"),
        not: words("npm publish", "npm install -g x", "pnpm install --config.script-shell=x", "npm exec x"),
      },
    },
  ),
  ask(
    "bare-install",
    INSTALLS,
    { run: ["{yarn,uv,poetry,pdm,bundle}", "{install,sync,lock}"] },
    {
      examples: { match: words("poetry install", "uv sync"), not: words("poetry publish", "bundle exec x") },
    },
  ),
  ask(
    "pip",
    INSTALLS,
    { run: ["{pip,pip3}", "install", "**"] },
    {
      except: [OUTSIDE],
      examples: { match: words("pip install -r requirements.txt"), not: words("pip config set a b", "pip install /x") },
    },
  ),
  ask(
    "any-script",
    RUNS,
    { run: [PM, "{run,run-script,start}", "**"] },
    {
      except: [NPM_STEERS, OUTSIDE],
      examples: {
        match: words("npm run deploy", "npm start", "pnpm run dev --port=1"),
        not: words("npm run a --script-shell=x", "npm exec a", "npm run a --prefix=x"),
      },
    },
  ),
  allow(
    "programs",
    RUNS,
    { run: ["{node,tsx,python,python3,ruby,php,perl}", "*.{js,mjs,cjs,ts,mts,py,rb,php,pl}", "**"] },
    {
      except: [OUTSIDE],
      examples: {
        match: words("node scripts/build.mjs --watch", "python a.py"),
        not: words("node -e x", "python -m http.server", "ruby /tmp/a.rb", "python -c x", "./node a.js"),
      },
    },
  ),
  allow(
    "builds",
    RUNS,
    { run: ["{make,cmake,gcc,g++,cc,c++,clang,clang++}", "**"] },
    {
      except: [arg("^--$"), OUTSIDE],
      examples: {
        match: words("make -n test", "cmake -S . -B build", "gcc -Wall -o build/app main.c"),
        not: words("cmake --build /x", "gcc -o ../x main.c", "ld a.o", "cmake --build a -- -f x"),
      },
    },
  ),
  ask(
    "go-modules",
    INSTALLS,
    { run: ["go", "mod", "{tidy,download,verify,vendor}"] },
    {
      examples: { match: words("go mod tidy"), not: words("go mod edit x", "go get x") },
    },
  ),
  ask(
    "go-cargo-run",
    RUNS,
    { run: ["{go,cargo}", "run", "**"] },
    {
      except: [arg("^--?(exec|toolexec|overlay|config|Z|C|manifest)|@"), OUTSIDE],
      examples: {
        match: words("go run .", "cargo run --release"),
        not: words("go run -exec x .", "go run a.org/x@latest", "cargo run --config x"),
      },
    },
  ),
];
