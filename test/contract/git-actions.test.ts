/** The git actions keep the contract of every action. */
import { createGitActions } from "../../src/adapters/git-actions/actions.ts";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createActions } from "../../src/adapters/system/actions.ts";
import { actionsContract } from "./actions.contract.ts";

actionsContract("git", () =>
  createActions([
    createGitActions({
      root: "/nonexistent",
      vault: "/nonexistent",
      artifacts: createMemoryArtifacts({ maxBytes: 1 }),
      holdVault: (work) => work(),
      env: {},
      github: { host: "github.com", apiUrl: "https://api.github.com", token: null },
    }),
  ]),
);
