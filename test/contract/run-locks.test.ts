/** Runs the contract of RunLocks against its adapter. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { FILE_LOCKS } from "../../src/adapters/sqlite/file/hold-file.ts";
import { runLocksContract } from "./run-lock.contract.ts";

const ADAPTER = new URL("../../src/adapters/sqlite/file/hold-file.ts", import.meta.url).href;
const HOLD = `const { FILE_LOCKS } = await import(${JSON.stringify(ADAPTER)});
console.log(JSON.stringify(await FILE_LOCKS.hold(process.argv[1])));
setInterval(() => {}, 1000);`;

runLocksContract("files", () => ({
  locks: FILE_LOCKS,
  async holdElsewhere(path) {
    const argv = ["--import", "tsx", "--input-type=module", "-e", HOLD, path];
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    return {
      pid: child.pid as number,
      async die() {
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
  },
}));
