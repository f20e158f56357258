import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readSystemView, type Visible } from "./system-view.ts";

const made: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pawl-view-"));
  made.push(path);
  return path;
}

afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const view = (change: Partial<Visible> = {}) =>
  readSystemView({ nodeProgram: "/usr/bin/node", readable: [], path: "/usr/bin", ...change });

describe("readSystemView", () => {
  it("shows programs and certificates, and nobody's keys, homes or settings", () => {
    const { shown, placed, links } = view();
    expect(shown).toEqual(["/usr"]);
    const all = [...shown, ...placed.flatMap(({ from, to }) => [from, to]), ...links.map(({ path }) => path)];
    for (const path of all) {
      expect(path).not.toMatch(
        /^\/(root|home|sys|proc|dev|run)(\/|$)|shadow|gitconfig|private|passwd|hosts|^\/etc(\/ssl|\/pki)?$/,
      );
    }
    expect([...placed.map(({ to }) => to), ...links.map(({ path }) => path)]).toContain("/bin");
  });

  it("keeps of PATH what can be seen behind the wall", () => {
    const path = ["/usr/local/bin", "/root/.cargo/bin", "", ".", "bin", "/usr/../etc", "/usr/bin", "/bin", "/usr/bin"];
    expect(view({ path: path.join(":") }).path).toBe("/usr/local/bin:/usr/bin:/bin");
    expect(view({ path: "/root/bin:relative" }).path).toBe("/usr/local/bin:/usr/bin:/bin");
    expect(view({ path: "" }).path).toBe("/usr/local/bin:/usr/bin:/bin");
  });

  it("shows the folder Node was installed in when it is Node's own, else only the program", () => {
    const prefix = folder();
    for (const path of ["bin", "lib/node_modules", "include/node"]) mkdirSync(join(prefix, path), { recursive: true });
    const nodeProgram = join(prefix, "bin/node");
    writeFileSync(nodeProgram, "");
    chmodSync(nodeProgram, 0o755);
    expect(view({ nodeProgram, path: `${prefix}/bin` })).toMatchObject({
      shown: ["/usr", prefix],
      path: `${prefix}/bin`,
    });
    rmSync(join(prefix, "include"), { recursive: true });
    expect(view({ nodeProgram }).shown).toEqual(["/usr", nodeProgram]);
    const home = userInfo().homedir;
    expect(view({ nodeProgram: join(home, "bin/node") }).shown).toEqual(["/usr", join(home, "bin/node")]);
  });

  it("shows what may be read besides, each once", () => {
    const place = folder();
    const inner = join(place, "inner");
    mkdirSync(inner);
    expect(view({ readable: [inner, place, "/usr/share", place] }).shown).toEqual(["/usr", place]);
  });

  it.each([
    ["/", "is never shown"],
    ["/etc", "is never shown"],
    ["/proc", "is never shown"],
    ["/proc/sys", "has its own"],
    ["/dev/shm", "has its own"],
    ["/tmp", "is never shown"],
    [userInfo().homedir, "is never shown"],
    [dirname(userInfo().homedir), "is never shown"],
    ["relative", "plain absolute path"],
    ["/usr/../etc", "plain absolute path"],
    ["/usr/", "plain absolute path"],
    ["/no/such/path", "does not exist"],
  ])("refuses to show %s", (path, problem) => {
    expect(() => view({ readable: [path] })).toThrow(problem);
  });

  it("refuses to show what a link hides", () => {
    const link = join(folder(), "link");
    symlinkSync(userInfo().homedir, link);
    expect(existsSync(link)).toBe(true);
    expect(() => view({ readable: [link] })).toThrow("is never shown");
  });
});
