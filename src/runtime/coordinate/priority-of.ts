/** The priority that pawl.yaml gives a loop. A file that cannot be read says nothing here: whoever compiles the loop tells what is wrong with it. */
import { loadProject } from "../loops/load-project.ts";

export async function priorityOf(root: string, loop: string): Promise<number> {
  const { file } = await loadProject(root);
  return (file?.ok === true ? file.value.loops.find(({ name }) => name === loop)?.priority : undefined) ?? 0;
}
