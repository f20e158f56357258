/** Of a door whose calls are all answered. */
import type { ModelDoor } from "../../../src/ports/models/model-access.ts";

export const CALM: Pick<ModelDoor, "lastRefusal" | "hopeless"> = {
  lastRefusal: () => null,
  hopeless: new Promise(() => undefined),
};
