/** Runs the contract of the sandbox against bubblewrap. */
import { afterEach } from "vitest";
import { sandboxContract } from "../contract/sandbox.contract.ts";
import { sandboxSealsContract } from "../contract/sandbox-seals.contract.ts";
import { removeFolders } from "../support/process-fixture.ts";
import { bubblewrap } from "../support/sandbox-fixture.ts";

sandboxContract("bubblewrap", (egress) => bubblewrap(egress === undefined ? {} : { egress }));
sandboxSealsContract("bubblewrap", bubblewrap);

afterEach(removeFolders);
