/** A budget section → its caps, each with the place where it was written. */
import { type BudgetSpec, EACH_RUN } from "../../limits/ledger/budget.ts";
import { type Account, type Cap, FLEET, type Scope, type Unit, type Window } from "../../limits/ledger/cap.ts";
import type { Given, Reading } from "../shapes/shape.ts";
import type { BudgetFound } from "./budget-fields.ts";

const UNIT_OF = { tokens: "tokens", usd: "microUsd", runs: "runs", spawns: "spawns" } as const satisfies Record<
  string,
  Unit
>;

type Written = Readonly<Partial<Record<keyof typeof UNIT_OF, Given<number>>>>;
type Windows = { readonly day?: Given<Written>; readonly week?: Given<Written> };

export function readBudget(found: BudgetFound, { problems }: Reading): BudgetSpec {
  const offsetMinutes = found.day_starts?.value ?? 0;
  const amounts = (account: Account, window: Window, written: Given<Written> | undefined): readonly Cap[] =>
    Object.entries(UNIT_OF).flatMap(([key, unit]): readonly Cap[] => {
      const given = written?.value[key as keyof typeof UNIT_OF];
      if (given === undefined) return [];
      const { file, line, column } = problems.source.span(given.node);
      const zone = window === "day" && offsetMinutes !== 0 ? { offsetMinutes } : {};
      return [{ account, unit, window, amount: given.value, source: `${file}:${line}:${column}`, ...zone }];
    });
  const windows = (account: Account, written: Windows): readonly Cap[] => [
    ...amounts(account, "day", written.day),
    ...amounts(account, "week", written.week),
  ];
  const named = (scope: Scope, list: readonly (Given<Windows> & { readonly name: string })[]): readonly Cap[] =>
    list.flatMap(({ name, value }) => windows({ scope, name }, value));
  const loops = found.loops?.value ?? [];
  return {
    caps: [
      ...windows(FLEET, found),
      ...amounts(EACH_RUN, "run", found.run),
      ...named("loop", loops),
      ...named("provider", found.providers?.value ?? []),
      ...named("user", found.users?.value ?? []),
      ...named("tenant", found.tenants?.value ?? []),
    ],
    priorities: Object.fromEntries(
      loops.flatMap(({ name, value }) => (value.priority === undefined ? [] : [[name, value.priority.value]])),
    ),
  };
}
