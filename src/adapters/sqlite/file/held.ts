/** Connections whose locks say that this process lives. One that nobody refers to is closed when memory is collected, and its lock with it. */
import type { Database } from "../driver.ts";

const HELD = new Set<Database>();

export function keepOpen(db: Database): void {
  HELD.add(db);
}

export function letGo(db: Database): void {
  HELD.delete(db);
  db.close();
}
