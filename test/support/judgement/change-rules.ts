/** Rules of a change gate whose author says nothing but what must not change. */
import type { ChangeRules } from "../../../src/blueprint/blueprint.ts";

export const CHANGE_RULES: ChangeRules = {
  deny: [".env", "**/secrets/**", "auth/**"],
  allow: null,
  maxFiles: 10,
  maxLines: null,
  denied: "fail",
  beyond: "escalate",
  submodules: "escalate",
  links: "escalate",
  modes: "escalate",
  ci: "escalate",
  lockfiles: "escalate",
  dotfiles: "escalate",
  binary: "escalate",
};
