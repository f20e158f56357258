import { createGitMainline } from "../../src/adapters/git-actions/mainline.ts";
import { createMemoryMainline } from "../../src/adapters/memory/loops/mainline.ts";
import { actionRepository } from "../support/action-repository.ts";
import { mainlineContract } from "./mainline.contract.ts";

mainlineContract("memory", async () => {
  const mainline = createMemoryMainline();
  const base = mainline.commit("main", { "one.txt": "1", "two.txt": "2" }, null);
  return {
    mainline,
    commit: async (branch, files, from = base) => mainline.commit(branch, { ...mainline.files(from), ...files }, from),
    read: async (commit, path) => mainline.files(commit)[path] ?? "",
  };
});

mainlineContract("git", async () => {
  const { root, vault, git, save } = actionRepository();
  const env = { PATH: process.env["PATH"] ?? "" };
  const mainline = createGitMainline({ root, vault, env, holdVault: (work) => work() });
  const commit = async (branch: string, files: Readonly<Record<string, string>>, from?: string): Promise<string> => {
    git("fetch", "-q", vault, save(files, from ?? git("rev-parse", "main")));
    const made = git("rev-parse", "FETCH_HEAD");
    if (branch === "main") git("reset", "-q", "--hard", made);
    else git("branch", "-f", branch, made);
    return made;
  };
  await commit("main", { "one.txt": "1", "two.txt": "2" });
  return { mainline, commit, read: async (id, path) => git("show", `${id}:${path}`) };
});
