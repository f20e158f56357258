/** A process that adds lines to a text of a project that others change at the same time; `hold`: that keeps its turn for good. */
import { writeSync } from "node:fs";
import { createProjectTexts } from "../../src/adapters/files/project-texts.ts";
import { inTurn } from "../../src/adapters/sqlite/file/turns-at-file.ts";

const [root = "", lock = "", path = "", name = "", count = "0", mode = ""] = process.argv.slice(2);

if (mode === "hold") {
  await inTurn(lock, () => {
    writeSync(1, "held\n");
    return new Promise((resolve) => setTimeout(resolve, 600_000));
  });
} else {
  const texts = createProjectTexts({
    root,
    hooksFolders: async () => [],
    alone: (work) => inTurn(lock, work),
  });
  for (let line = 0; line < Number(count); line += 1)
    await texts.change(path, (text) => `${text ?? ""}${name} ${line}\n`);
}
