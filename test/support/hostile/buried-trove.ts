/** Secrets in objects that git keeps and nobody sees: of the user's repository, and of other runs in the vault. */
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitFiles, git, putFile } from "../git-project.ts";
import { type Canary, makeCanary } from "./canary-trove.ts";

/** A run that has started from changed files, saved one secret and failed with another. */
const BURYING = `version: 1
name: burying
workspace: { kind: clone, from: working_tree }
policy: { allow: [{ run: ["perl", "bury.pl", "*"] }] }
stages:
  - { id: keep, command: ["perl", "bury.pl", "saved"] }
  - { id: lose, command: ["perl", "bury.pl", "failed"], max_attempts: 2, on_failure: done }
`;

export interface BuriedTrove {
  readonly canaries: readonly Canary[];
  /** Plays the user after the burying run: the changed file is gone. */
  clear(): void;
}

/** The repository has a commit; none of the secrets is in it. */
export function buryTrove(root: string): BuriedTrove {
  const canaries: Canary[] = [];
  const make = (name: string): string => {
    const canary = makeCanary(name);
    canaries.push(canary);
    return canary.value;
  };
  const stage = (name: string): void => {
    putFile(root, "key.txt", { mode: "100644", text: `${make(name)}\n` });
    git(root, "add", "--force", "key.txt");
  };
  copyFileSync(join(import.meta.dirname, "bury.pl"), join(root, "bury.pl"));
  commitFiles(root, { "burying.yaml": BURYING });
  git(root, "checkout", "-q", "-b", "other");
  stage("on another branch");
  git(root, "commit", "-q", "-m", make("in the message of a commit"));
  git(root, "tag", "-a", "-m", make("in a tag"), "v1");
  git(root, "checkout", "-q", "-");
  stage("in a commit that only the reflog knows");
  git(root, "commit", "-q", "-m", "dropped");
  git(root, "reset", "-q", "--hard", "HEAD^");
  stage("in a stash");
  git(root, "stash", "-q");
  stage("in an object that nothing refers to");
  git(root, "reset", "-q", "--hard");
  const backwards = (name: string): string => [...make(name)].reverse().join("");
  const lines = [
    `start ${make("in the changed files that another run started from")}`,
    `saved ${backwards("in a tree that another run saved")}`,
    `failed ${backwards("in what a failed attempt of another run left")}`,
  ];
  const file = join(root, "buried.txt");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return { canaries, clear: () => rmSync(file) };
}
