/** Writes the greeting into the workspace. */
import { writeFileSync } from "node:fs";

writeFileSync("greeting.txt", "Hello, Ada!\n");
