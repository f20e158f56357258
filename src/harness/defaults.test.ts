import { describe, expect, it } from "vitest";
import { policyFrom } from "./defaults.ts";

async function answer(script: string): Promise<string> {
  const policy = policyFrom({ allow: [{ run: ["**"] }, { shell: "**" }, { edit: "**" }] });
  const call = { call: "c", tool: "run_command", input: { script }, requests: [{ kind: "shell", script }] } as const;
  return (await policy.decide(call as unknown as Parameters<typeof policy.decide>[0], "medium")).answer;
}

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
    "cp a /srv/project/.git/hooks/pre-commit",
    "cd .claude && cp a settings.json",
    "rm .git/config",
  ])("cannot write what is sealed by %s", async (script) => {
    expect(await answer(script)).toBe("deny");
  });

  it.each(["cp a b", "rm .git/index.lock", "cat .mcp.json", "git checkout main", "sed -n p pawl.yaml"])(
    "can still do %s",
    async (script) => {
      expect(await answer(script)).toBe("allow");
    },
  );
});
