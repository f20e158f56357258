import { expect, test } from "vitest";
import { codexSettings } from "./settings.ts";

test("nothing of the repository is trusted, and nothing is done that is not asked about", () => {
  const { files } = codexSettings({ url: "http://127.0.0.1:1", token: "t" }, "/workspace/a");
  const config = files[".codex/config.toml"] ?? "";
  expect(config).toContain('[projects."/workspace/a"]\ntrust_level = "untrusted"\n');
  expect(config).toContain('base_url = "http://127.0.0.1:1/v1"');
  for (const off of ["multi_agent", "view_image", "unified_exec_tty", "guardian_approval", "plugins", "apps"]) {
    expect(config).toContain(`\n${off} = false\n`);
  }
  expect(config).not.toContain('"t"');
});
