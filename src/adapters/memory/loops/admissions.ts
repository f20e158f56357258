/** Admissions in memory. */
import { admitLoad, isInLine } from "../../../limits/admission/admission.ts";
import type { AdmissionAnswer, AdmissionAsk, Admissions } from "../../../ports/loops/admissions.ts";
import { holderOf, type LoopState, type MemoryAdmission, type Worker } from "./loop-state.ts";

interface AdmissionParts {
  readonly state: LoopState;
  readonly self: Worker;
  readonly guarded: <T>(work: () => T) => Promise<T>;
  readonly uptime: () => number;
}

export function createMemoryAdmissions({ state, self, guarded, uptime }: AdmissionParts): Admissions {
  const isOwn = (key: string) => (row: MemoryAdmission) => row.worker === self && row.key === key;

  function sweep(): readonly MemoryAdmission[] {
    state.admissions = state.admissions.filter(
      ({ worker, isHeld, seen }) => worker.alive && (isHeld || isInLine(seen, uptime())),
    );
    return state.admissions;
  }

  function ask({ key, weight, total }: AdmissionAsk): AdmissionAnswer {
    const rows = sweep();
    const place = rows.findIndex(isOwn(key));
    const own: MemoryAdmission = rows[place] ?? { key, weight, total, worker: self, isHeld: false, passed: 0, seen: 0 };
    if (own.isHeld) return { admitted: true };
    const before = place < 0 ? rows : rows.slice(0, place);
    const ahead = before.filter(({ isHeld }) => !isHeld);
    const held = rows.filter(({ isHeld }) => isHeld);
    const answer = admitLoad(held, ahead, { weight, total });
    Object.assign(own, { weight, total, isHeld: answer.admitted, seen: uptime() });
    if (place < 0) state.admissions = [...rows, own];
    if (!answer.admitted) return answer;
    for (const passed of answer.passes) (ahead[passed] as MemoryAdmission).passed += 1;
    return { admitted: true };
  }

  return {
    ask: (asking) => guarded(() => ask(asking)),
    leave: (key) =>
      guarded(() => {
        const own = isOwn(key);
        state.admissions = state.admissions.filter((row) => !own(row));
      }),
    list: () =>
      guarded(() => {
        const rows = sweep().map(({ key, weight, isHeld, worker }) => {
          return { key, weight, isHeld, holder: holderOf(worker) };
        });
        return [...rows.filter(({ isHeld }) => isHeld), ...rows.filter(({ isHeld }) => !isHeld)];
      }),
  };
}
