/** A host that enters a workspace and then has nothing to do, or waits to be killed. Arguments: root, run, `end` or `stay`. */
import type { RunId } from "../../src/base/ids.ts";
import { CLONE, LABEL, placeOf, workspacesAt } from "./git-project.ts";

const [root = "", run = "", what = ""] = process.argv.slice(2);
const workspaces = workspacesAt(root);
await workspaces.enter(placeOf(CLONE, null, run as RunId), await workspaces.base(CLONE, 1), LABEL);
process.stdout.write("entered\n");
if (what === "stay") setInterval(() => undefined, 1000);
