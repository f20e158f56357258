/** Runs the contract of the reaper against its adapters. */
import { createProcessReaper } from "../../src/adapters/process/kill/reaper.ts";
import { reaperContract } from "./reaper.contract.ts";

reaperContract("process", (stateDir) => createProcessReaper({ stateDir }));
