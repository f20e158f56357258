/** `git.pr`: one pull request for the branch of the run. It is looked for before it is opened, by its branch and by our key. */
import { pawlError } from "../../base/errors.ts";
import { GIT_ERRORS } from "../../ports/errors/git-errors.ts";
import type { PullRequest, Repository } from "./github.ts";
import { optionalText, ownBranch, remoteName, text, userBranch } from "./input.ts";
import { checkRemote, handedOn } from "./push-action.ts";
import { markedMessage, markOf } from "./repository/message.ts";
import { certificateOf, type Scope, type Spec } from "./scope.ts";

const MOST_TITLE = 256;
/** GitHub takes 65536 characters. */
const MOST_BODY = 60_000;
const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/;
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const ADDRESS =
  /^(?:(?:https|ssh|git\+ssh):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/|(?:[^@/]*@)?([^/:]+):)([^/]+)\/([^/]+?)(?:\.git)?\/?$/;

export function pullRequestSpec(scope: Scope): Spec {
  const { github } = scope;
  return {
    name: "git.pr",
    summary: "Opens a pull request on GitHub for the branch of the run, once.",
    effect: "keyed",
    level: "L2",
    remote: true,
    input: {
      title: { required: true, summary: "Its title, one line." },
      body: { required: true, summary: "Its description, in Markdown. Nobody is notified by a name in it." },
      base: { required: false, summary: "The branch to merge into; without it, the default branch of the repository." },
      remote: { required: false, summary: "Name of the remote that the branch was pushed to (origin)." },
      branch: { required: false, summary: "The branch; without it, pawl/<run>." },
    },
    async perform(input, context, snapshot) {
      const { run, key, signal } = context;
      const remote = remoteName(input);
      const branch = ownBranch(input, "branch", run);
      const title = text(input, "title", MOST_TITLE).replace(/\s+/g, " ").trim();
      const written = unmentioned(text(input, "body", MOST_BODY));
      const certified = await certificateOf(context);
      const told = certified === null ? written : `${written.trim()}\n\n${certified.summary}`;
      const body = markedMessage(told, context, "body", certified?.trailer);
      const wanted = optionalText(input, "base", MOST_TITLE) === undefined ? undefined : userBranch(input, "base");
      await checkRemote(scope, remote);
      await handedOn(scope, branch, run, snapshot);
      const repository = await repositoryOf(scope, remote);
      const report = ({ number, url }: PullRequest, opened: boolean) =>
        ({ ok: true, output: { number, url, branch, opened } }) as const;
      const find = async (): Promise<PullRequest | undefined> =>
        chosen(await github.find(repository, branch, signal), key, wanted);
      const found = await find();
      if (found !== undefined) return report(found, false);
      const base = wanted ?? (await github.defaultBranch(repository, signal));
      const opened = await github.open(repository, { title, body, head: branch, base, draft: false }, signal);
      if (opened !== undefined) return report(opened, true);
      const other = await find();
      if (other !== undefined) return report(other, false);
      const detail = "it says that there is one, and shows none";
      throw pawlError(GIT_ERRORS, "GITHUB_REQUEST_FAILED", { doing: "opening a pull request", detail });
    },
  };
}

/** The one this stage opened, in whatever state it is now, or one that is open. */
function chosen(list: readonly PullRequest[], key: string, base: string | undefined): PullRequest | undefined {
  const own = list.find(({ body }) => markOf(body.replaceAll("\r\n", "\n"))?.key === key);
  return own ?? list.find((each) => each.state === "open" && (base === undefined || each.base === base));
}

/** The place that a push to this remote reaches. */
async function repositoryOf({ git, github }: Scope, remote: string): Promise<Repository> {
  const unknown = (problem: string): Error => pawlError(GIT_ERRORS, "GIT_REMOTE_UNKNOWN", { remote, problem });
  const { code, stdout } = await git.push(["remote", "get-url", "--push", "--all", remote]);
  const urls = stdout.toString().trim().split("\n");
  if (code !== 0 || urls.length !== 1) throw unknown("it does not lead to exactly one place");
  const [, inUrl, inShort, owner = "", name = ""] = ADDRESS.exec(urls[0] ?? "") ?? [];
  if ((inUrl ?? inShort)?.toLowerCase() !== github.host.toLowerCase() || !OWNER.test(owner) || !NAME.test(name))
    throw unknown(`it is not a repository on ${github.host}`);
  return { owner, name };
}

/** A name after an at sign would send somebody a message. */
function unmentioned(body: string): string {
  return body.replace(/@(?=[A-Za-z0-9])/g, "@<!-- -->");
}
