import { describe, expect, it } from "vitest";
import { policyFrom } from "./defaults.ts";

const answer = (script: string): string =>
  policyFrom({ allow: [{ run: ["**"] }, { shell: "**" }, { edit: "**" }] }).decide(
    { tool: "run_command", input: { script }, requests: [{ kind: "shell", script }] },
    "medium",
  ).answer;

describe("an agent without a wall", () => {
  it.each([
    "cp a .claude/settings.json",
    "mv a .husky/pre-commit",
    "tee .mcp.json",
    "echo x > pawl.yaml",
    "install a .CLAUDE/settings.json",
    "ln -s a .envrc",
    "dd if=a of=pawl.yaml",
    "sed -i s/a/b/ pawl.yaml",
    "git checkout x -- .mcp.json",
    "cp a /work/project/.git/hooks/pre-commit",
    "cd .claude && cp a settings.json",
    "rm .git/config",
  ])("cannot write what is sealed by %s", (script) => {
    expect(answer(script)).toBe("deny");
  });

  it.each(["cp a b", "rm .git/index.lock", "cat .mcp.json", "git checkout main", "sed -n p pawl.yaml"])(
    "can still do %s",
    (script) => {
      expect(answer(script)).toBe("allow");
    },
  );
});
