/** Homes of agents as folders of the state directory. */
import { createFileAgentHomes } from "../../src/adapters/files/agent-homes.ts";
import { agentHomesContract } from "./agent-homes.contract.ts";

agentHomesContract("files", (dir) => createFileAgentHomes({ dir }));
