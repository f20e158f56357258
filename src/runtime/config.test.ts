import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { readConfig } from "./config.ts";

const read = (env: Record<string, string | undefined>) => readConfig({ env, cwd: "/" });

describe("the project root", () => {
  it.each([".pawl", ".git", "pawl.yaml"])("is the nearest folder with %s", (mark) => {
    const top = tempDir();
    const deep = join(top, "project/a/b");
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(top, "pawl.yaml"), "");
    if (mark === "pawl.yaml") writeFileSync(join(top, "project", mark), "");
    else mkdirSync(join(top, "project", mark));
    expect(readConfig({ env: {}, cwd: deep }).root).toEqual({ value: join(top, "project"), origin: "found" });
    expect(readConfig({ env: {}, cwd: join(top, "project") }).root.value).toBe(join(top, "project"));
  });

  it("is a folder whose git folder is a file, as in a worktree", () => {
    const top = tempDir();
    writeFileSync(join(top, ".git"), "gitdir: elsewhere\n");
    expect(readConfig({ env: {}, cwd: top }).root).toEqual({ value: top, origin: "found" });
  });

  it("is the working directory when nothing marks one", () => {
    const top = tempDir();
    expect(readConfig({ env: {}, cwd: top }).root).toEqual({ value: top, origin: "default" });
    expect(readConfig({ env: {}, cwd: join(top, "not/there") }).root.value).toBe(join(top, "not/there"));
  });

  it("is what the flag says, then what the environment says, relative to the working directory", () => {
    const top = tempDir();
    mkdirSync(join(top, ".git"));
    const env = { PAWL_ROOT: "../from-env" };
    expect(readConfig({ env, cwd: top, flags: { root: "from-flag" } }).root).toEqual({
      value: join(top, "from-flag"),
      origin: "flag",
    });
    expect(readConfig({ env, cwd: top }).root).toEqual({ value: join(top, "../from-env"), origin: "env" });
    expect(readConfig({ env: { PAWL_ROOT: "" }, cwd: top }).root).toEqual({ value: top, origin: "found" });
  });
});

describe("colour", () => {
  it.each([
    [undefined, undefined, { value: true, origin: "default" }],
    [undefined, "", { value: true, origin: "default" }],
    [undefined, "0", { value: false, origin: "env" }],
    [true, "1", { value: true, origin: "flag" }],
    [false, undefined, { value: false, origin: "flag" }],
  ])("with the flag %s and NO_COLOR=%s", (color, noColor, expected) => {
    const flags = color === undefined ? {} : { color };
    expect(readConfig({ flags, env: { NO_COLOR: noColor }, cwd: "/" }).color).toEqual(expected);
  });
});

describe("the environment of a stage", () => {
  it("has only what is on the list", () => {
    const passed = { PATH: "/bin", HOME: "/home/ann", LANG: "C", LC_ALL: "C", TZ: "UTC", TMPDIR: "/tmp", USER: "ann" };
    const kept = read({
      ...passed,
      GITHUB_TOKEN: "x".repeat(40),
      NODE_OPTIONS: "--require ./evil.js",
      LD_PRELOAD: "evil.so",
      PATH_OTHER: "x",
      MY_PATH: "x",
      LC_all: "x",
      LC_SECRET: "x",
      PAWL_KEY: "forged",
      SHELL: undefined,
    }).processEnv;
    expect(kept).toEqual(passed);
  });

  it("comes from the process when nothing else is given", () => {
    expect(readConfig().processEnv["PATH"]).toBe(process.env["PATH"]);
  });
});

describe("secrets", () => {
  const secret = "s3cr3t-value";
  it.each([
    "GITHUB_TOKEN",
    "npm_config__authToken",
    "DB_PASSWORD",
    "STRIPE_API_KEY",
    "OPENAI_APIKEY",
    "AWS_SECRET_ACCESS_KEY",
    "SSH_PRIVATE_KEY",
    "CLIENT_SECRET",
    "GOOGLE_CREDENTIALS",
    "MYSQL_PASSWD",
  ])("are recognised by the name %s", (name) => {
    expect(read({ [name]: secret }).secrets).toEqual([secret]);
  });

  it.each(["TOKEN_COUNT", "PATH", "KEYBOARD", "PASSWORD_FILE", "EDITOR"])("are not taken from %s", (name) => {
    expect(read({ [name]: secret }).secrets).toEqual([]);
  });

  it("are not taken from values so short that they stand in ordinary text", () => {
    expect(read({ A_TOKEN: "true", B_TOKEN: "", C_TOKEN: undefined }).secrets).toEqual([]);
  });
});

describe("the tenant", () => {
  it("is nobody unless it is named", () => {
    expect([read({}).tenant, read({ PAWL_TENANT: "" }).tenant, read({ PAWL_TENANT: "acme" }).tenant]).toEqual([
      ...[null, null, "acme"],
    ]);
  });
});

describe("the user", () => {
  it("is named by the environment, else by the system", () => {
    expect(read({ USER: "ann", LOGNAME: "bob" }).user).toBe("ann");
    expect(read({ LOGNAME: "bob" }).user).toBe("bob");
    expect(read({}).user).toBe(userInfo().username);
  });
});

describe("the sandbox", () => {
  it("is where the system has it, unless the environment says otherwise", () => {
    expect(read({}).bubblewrap).toEqual({ value: null, origin: "default" });
    expect(read({ PAWL_BWRAP: "opt/bwrap" }).bubblewrap).toEqual({ value: "/opt/bwrap", origin: "env" });
  });

  it("shows the folders that the environment names by an absolute path", () => {
    expect(read({}).readable).toEqual({ value: [], origin: "default" });
    expect(read({ PAWL_READABLE: "/opt/tools:relative:/srv/sdk" }).readable).toEqual({
      value: ["/opt/tools", "/srv/sdk"],
      origin: "env",
    });
  });

  it("gets the PATH of this process, and a short folder for its sockets", () => {
    expect(read({ PATH: "/bin" }).path).toBe("/bin");
    expect(read({}).path).toBe("");
    expect(read({}).socketDir.length).toBeLessThan(60);
  });
});

describe("GitHub", () => {
  it("is the public one, unless the environment names a server, with the token that is there", () => {
    expect(read({}).github).toEqual({ host: "github.com", apiUrl: "https://api.github.com", token: null });
    const env = { GITHUB_SERVER_URL: "https://git.example.org", GITHUB_API_URL: "https://git.example.org/api/v3" };
    expect(read({ ...env, GITHUB_TOKEN: "one", GH_TOKEN: "two" }).github).toEqual({
      host: "git.example.org",
      apiUrl: "https://git.example.org/api/v3",
      token: "two",
    });
    expect(read({ GITHUB_SERVER_URL: "nonsense", GITHUB_TOKEN: "one" }).github).toMatchObject({
      host: "github.com",
      token: "one",
    });
  });
});
