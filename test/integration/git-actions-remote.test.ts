/** git.push and git.pr: to the places that the user has configured, once, and with a token that goes nowhere else. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GitActionsOptions } from "../../src/adapters/git-actions/actions.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ActionContext, ActionReport } from "../../src/ports/actions.ts";
import {
  type ActionRepository,
  actionRepository,
  addRemote,
  type FakeGitHub,
  fakeGitHub,
  RUN,
  send,
} from "../support/action-repository.ts";

const BRANCH = `pawl/${RUN}`;
const TOKEN = "ghp_canary0123456789";
const errorOf = (report: ActionReport): string => (report.ok ? "no error" : report.error);
const at = (path: string, ...args: string[]): string =>
  execFileSync("git", ["-C", path, ...args], { encoding: "utf8" }).trim();

async function committed(): Promise<{ repository: ActionRepository; tree: string; commit: string }> {
  const repository = actionRepository();
  const tree = repository.save({ x: "1" });
  const report = await repository.perform("git.commit", { message: "work" }, { tree, stage: "commit" });
  if (!report.ok) throw new Error(report.error);
  return { repository, tree, commit: repository.git("rev-parse", BRANCH) };
}

describe("git.push", () => {
  it("pushes the commits of the run and nothing else, once", async () => {
    const { repository, tree, commit } = await committed();
    const remote = addRemote(repository);
    repository.git("tag", "v1", BRANCH);
    repository.git("config", "push.followTags", "true");
    repository.git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
    const push = (): Promise<ActionReport> => repository.perform("git.push", {}, { tree, level: "L2" });
    const output = { remote: "origin", branch: BRANCH, commit };
    expect(await push()).toEqual({ ok: true, output: { ...output, pushed: true } });
    expect(at(remote, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(`refs/heads/${BRANCH} ${commit}`);
    expect(await push()).toEqual({ ok: true, output: { ...output, pushed: false } });
  });

  it("goes to another remote and branch of the user's choice, also one that mirrors", async () => {
    const { repository, tree } = await committed();
    const remote = addRemote(repository, "back.up");
    repository.git("config", "remote.back.up.mirror", "true");
    const commit = await repository.perform("git.commit", { message: "w", branch: "pawl/topic" }, { tree });
    expect(commit.ok).toBe(true);
    expect(await repository.perform("git.push", { remote: "back.up", branch: "pawl/topic" }, { tree })).toMatchObject({
      ok: true,
    });
    expect(at(remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/pawl/topic");
  });

  it("never overwrites what somebody else has put there", async () => {
    const { repository, tree } = await committed();
    const remote = addRemote(repository);
    const { git } = repository;
    git("config", "push.default", "matching");
    git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*");
    const foreign = git("commit-tree", "-m", "theirs", "HEAD^{tree}");
    git("push", "-q", "origin", `${foreign}:refs/heads/${BRANCH}`);
    expect(errorOf(await repository.perform("git.push", {}, { tree }))).toMatch(
      /origin did not take pawl\/\S+: .*(rejected|fetch first|non-fast-forward)/,
    );
    expect(at(remote, "rev-parse", BRANCH)).toBe(foreign);
  });

  it("refuses what is not a remote of the repository, or not a branch of the run", async () => {
    const { repository, tree } = await committed();
    const other = addRemote(repository, "other");
    const push = async (input: JsonObject): Promise<string> =>
      errorOf(await repository.perform("git.push", input, { tree }));
    expect(await push({})).toContain("has none of this name");
    for (const remote of [
      other,
      "https://evil.test/x.git",
      "ext::sh -c id",
      "-u",
      "--receive-pack=id",
      ".",
      "..",
      "a/b",
      "a b",
      "",
      "x\ny",
      "ssh://-oProxyCommand=id/x",
    ]) {
      expect([remote, await push({ remote })]).toEqual([
        remote,
        expect.stringMatching(/not the name of a remote|none of this name|control/),
      ]);
    }
    repository.git("branch", "pawl/at-base", "main");
    repository.git("switch", "-q", "-c", "pawl/mine");
    repository.git("commit", "-q", "--allow-empty", "-m", "mine");
    expect(await push({ remote: "other", branch: "pawl/mine" })).toContain("did not make");
    expect(await push({ remote: "other", branch: "pawl/at-base" })).toContain("no branch");
    expect(await push({ remote: "other", branch: "pawl/none" })).toContain("no branch");
    expect(at(other, "for-each-ref")).toBe("");
  });

  it("tells why a remote did not answer, without the password in its address", async () => {
    const { repository, tree } = await committed();
    repository.git("remote", "add", "origin", "http://me:hunter2@127.0.0.1:1/x.git");
    const error = errorOf(await repository.perform("git.push", {}, { tree }));
    expect(error).toContain("127.0.0.1");
    expect(error).not.toContain("hunter2");
  });

  it("uses the credentials of the user, and is the only one to see them", async () => {
    const { repository, tree } = await committed();
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? "");
      response
        .writeHead(request.headers.authorization === undefined ? 401 : 403, { "www-authenticate": "Basic realm=x" })
        .end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/x.git`;
    repository.git("remote", "add", "origin", url);
    const home = join(repository.dir, "gitconfig");
    writeFileSync(home, '[credential]\n\thelper = "!f() { echo username=ada; echo password=hunter2; }; f"\n');
    const env = { PATH: process.env["PATH"] ?? "", HOME: repository.dir, GIT_CONFIG_GLOBAL: home };
    expect(errorOf(await repository.perform("git.push", {}, { tree }, { env }))).toContain("did not take");
    expect(seen).toContain(`Basic ${Buffer.from("ada:hunter2").toString("base64")}`);
  });
});

describe("git.pr", () => {
  const opened = async (remote = "git@github.com:acme/widgets.git") => {
    const [{ repository, tree }, hub] = [await committed(), await fakeGitHub()];
    repository.git("remote", "add", "origin", remote);
    const perform = (
      input: JsonObject = {},
      change: Partial<GitActionsOptions["github"]> = {},
      stage = "pr",
      context: Partial<ActionContext> = {},
    ): Promise<ActionReport> => {
      const github = { host: "github.com", apiUrl: hub.apiUrl, token: TOKEN, ...change };
      return repository.perform(
        "git.pr",
        { title: "Fix it", body: "Because.", ...input },
        { tree, stage, level: "L2", ...context },
        { github },
      );
    };
    return { repository, hub, perform };
  };
  const openCount = (hub: FakeGitHub): number => hub.pulls.length;

  it.each([
    "git@github.com:acme/widgets.git",
    "https://github.com/acme/widgets",
    "https://me:pw@github.com/acme/widgets.git",
    "ssh://git@github.com:22/acme/widgets.git/",
    "https://GitHub.com/acme/widgets.git",
  ])("opens a pull request for the branch of the run, once, at %s", async (remote) => {
    const { hub, perform } = await opened(remote);
    const output = { number: 1, url: "https://github.com/acme/widgets/pull/1", branch: BRANCH };
    expect(await perform()).toEqual({ ok: true, output: { ...output, opened: true } });
    expect(hub.pulls).toEqual([
      expect.objectContaining({
        title: "Fix it",
        head: BRANCH,
        base: { ref: "trunk" },
        body: `Because.\n\nPawl-Run: ${RUN}\nPawl-Stage: pr\nPawl-Key: ${RUN}:pr:1\n`,
      }),
    ]);
    expect(await perform()).toEqual({ ok: true, output: { ...output, opened: false } });
    expect(await perform({}, {}, "another-stage")).toEqual({ ok: true, output: { ...output, opened: false } });
    expect(openCount(hub)).toBe(1);
    expect(new Set(hub.calls.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
  });

  it("tells in its body what was verified, and names the certificate", async () => {
    const { hub, perform } = await opened();
    const certificate = async () => ({
      ref: { sha256: "cc", bytes: 2, key: "k", signature: "s" },
      trailer: "Pawl-Certificate: sha256:cc",
      summary: "### Verified by Pawl",
    });
    expect(await perform({}, {}, "pr", { certificate })).toMatchObject({ ok: true });
    expect(hub.pulls[0]?.body).toBe(
      `Because.\n\n### Verified by Pawl\n\nPawl-Certificate: sha256:cc\nPawl-Run: ${RUN}\nPawl-Stage: pr\nPawl-Key: ${RUN}:pr:1\n`,
    );
    expect(await perform({}, {}, "pr", { certificate })).toMatchObject({ ok: true, output: { opened: false } });
  });

  it("finds the one it opened when the answer was lost, also when a person has closed it since", async () => {
    const { hub, perform } = await opened();
    hub.afterOpening = (response) => {
      response.destroy();
      return true;
    };
    expect(errorOf(await perform())).toContain("opening a pull request");
    const [only] = hub.pulls;
    expect(await perform()).toMatchObject({ ok: true, output: { number: 1, opened: false } });
    if (only !== undefined) only.state = "closed";
    expect(await perform()).toMatchObject({ ok: true, output: { number: 1, opened: false } });
    expect(openCount(hub)).toBe(1);
  });

  it("finds one that was opened while it looked", async () => {
    const { hub, perform } = await opened();
    let looked = 0;
    hub.intervene = (request, response) => {
      if (request.method !== "GET" || !request.url?.includes("/pulls?") || ++looked > 1) return false;
      send(response, 200, []);
      hub.pulls.unshift({
        number: 7,
        html_url: "https://github.com/acme/widgets/pull/7",
        state: "open",
        body: "",
        title: "theirs",
        head: BRANCH,
        base: { ref: "trunk" },
      });
      return true;
    };
    expect(await perform()).toMatchObject({ ok: true, output: { number: 7, opened: false } });
    expect(openCount(hub)).toBe(1);
  });

  it("takes the base that is asked for, and lets nobody be notified or be spoken for", async () => {
    const { hub, perform } = await opened();
    expect(
      await perform({ base: "release/2.x", title: " Two\nlines ", body: "Thanks @ada and @acme/team, a@b" }),
    ).toMatchObject({ ok: true });
    expect(hub.pulls[0]).toMatchObject({ base: { ref: "release/2.x" }, title: "Two lines" });
    expect(hub.pulls[0]?.body).toContain("Thanks @<!-- -->ada and @<!-- -->acme/team, a@<!-- -->b");
    expect(errorOf(await perform({ body: `x\n\nPawl-Key: ${RUN}:other:1` }, {}, "forged"))).toContain(
      "only Pawl may write",
    );
    for (const base of ["-x", "a b", "refs/heads/main", "HEAD", "x:y"])
      expect(errorOf(await perform({ base }))).toContain("`base`");
  });

  it.each([
    ["/srv/git/x.git"],
    ["https://gitlab.com/acme/widgets.git"],
    ["https://github.com.evil.test/acme/widgets"],
    ["https://evil.test/github.com/acme/widgets"],
    ["https://github.com/acme/widgets/pulls/../../x"],
    ["https://github.com/acme/.."],
    ["https://github.com/ac%2fme/widgets"],
    ["git@evil.test:acme/widgets.git"],
    ["github.com@evil.test:acme/widgets.git"],
  ])("sends nothing for the remote %s", async (remote) => {
    const { hub, perform } = await opened(remote);
    expect(errorOf(await perform())).toContain("not a repository on github.com");
    expect(hub.calls).toEqual([]);
  });

  it("sends nothing when a push would go to several places, or without a token, or over the open network", async () => {
    const { repository, hub, perform } = await opened();
    expect(errorOf(await perform({}, { token: null }))).toContain("no token");
    expect(errorOf(await perform({}, { apiUrl: "http://api.github.test" }))).toContain("unprotected");
    expect(errorOf(await perform({}, { apiUrl: "ftp://127.0.0.1" }))).toContain("unprotected");
    repository.git("remote", "set-url", "--add", "--push", "origin", "git@github.com:acme/widgets.git");
    repository.git("remote", "set-url", "--add", "--push", "origin", "git@github.com:acme/other.git");
    expect(errorOf(await perform())).toContain("exactly one place");
    expect(errorOf(await perform({ remote: "none" }))).toContain("none of this name");
    expect(hub.calls).toEqual([]);
  });

  it.each([401, 403, 404, 410, 422, 429, 500, 503])(
    "says why when GitHub answers %i, and never shows the token",
    async (status) => {
      const { hub, perform } = await opened();
      hub.intervene = (request, response) => {
        if (request.method === "GET" && request.url?.includes("/pulls?")) return false;
        send(response, status, { message: "No such\u001b[31m luck", errors: [{ message: "field head is invalid" }] });
        return true;
      };
      const error = errorOf(await perform());
      expect(error).toContain(`status ${status}, No such`);
      expect(error).not.toContain("\u001b");
      expect(error).not.toContain(TOKEN);
      expect(openCount(hub)).toBe(0);
    },
  );

  it("does not follow a redirect, read for ever, or believe what is no answer", async () => {
    const { hub, perform } = await opened();
    const thief: string[] = [];
    const server = createServer((request, response) => {
      thief.push(request.headers.authorization ?? "");
      send(response, 200, []);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const location = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
    hub.intervene = (_request, response) => !!response.writeHead(307, { location }).end();
    expect(errorOf(await perform())).toContain("GitHub did not do it");
    expect(thief).toEqual([]);
    hub.intervene = (_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1 << 20, "x");
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
      return true;
    };
    expect(errorOf(await perform())).toContain("too long");
    for (const body of ["<html>", "", "{}", "null", '{"message":5}']) {
      hub.intervene = (_request, response) => !!response.writeHead(200).end(body);
      expect(errorOf(await perform())).toContain("status 200");
    }
    hub.intervene = (request, response) => {
      if (request.method === "POST") send(response, 201, { number: "1" });
      return request.method === "POST";
    };
    expect(errorOf(await perform())).toContain("status 201");
  });

  it("ends when the stage is ended", async () => {
    const { repository, hub } = await opened();
    const stop = new AbortController();
    hub.intervene = () => {
      stop.abort();
      return true;
    };
    const tree = repository.inVault("rev-parse", `refs/pawl/${RUN}/saved/1700000060`);
    const github = { host: "github.com", apiUrl: hub.apiUrl, token: TOKEN };
    const report = await repository.perform(
      "git.pr",
      { title: "t", body: "b" },
      { tree, signal: stop.signal },
      { github },
    );
    expect(errorOf(report)).toContain("GitHub did not do it");
  });
});
