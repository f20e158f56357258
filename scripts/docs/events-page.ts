/** docs/reference/events.md, read from the source text of src/run/events.ts: names, fields and their comments. */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { code, page, table } from "./markdown.ts";

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly comment: string;
}

export interface EventDoc {
  readonly type: string;
  readonly comment: string;
  readonly fields: readonly Field[];
}

function commentOf(node: ts.Node): string {
  const docs = ts.getJSDocCommentsAndTags(node).map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? "");
  return docs.join(" ").replace(/\s+/g, " ").trim();
}

function nameOf(name: ts.PropertyName, source: ts.SourceFile): string {
  return ts.isStringLiteral(name) ? name.text : name.getText(source);
}

function fieldsOf(type: ts.TypeNode | undefined, source: ts.SourceFile): Field[] {
  if (type === undefined || !ts.isTypeLiteralNode(type)) return [];
  return type.members.filter(ts.isPropertySignature).map((member) => ({
    name: nameOf(member.name, source),
    type: (member.type?.getText(source) ?? "").replaceAll("readonly ", "").replace(/\s+/g, " "),
    isOptional: member.questionToken !== undefined,
    comment: commentOf(member),
  }));
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2023, true);
}

/** Every event type in the order written. */
export function eventDocs(file: string): EventDoc[] {
  const source = parse(file);
  const fields = source.statements.filter(ts.isInterfaceDeclaration).find((node) => node.name.text === "EventFields");
  if (fields === undefined) throw new Error(`${file} has no interface EventFields`);
  return fields.members.filter(ts.isPropertySignature).map((member) => ({
    type: nameOf(member.name, source),
    comment: commentOf(member),
    fields: fieldsOf(member.type, source),
  }));
}

/** The types that the fields name, as they are written. */
function namedTypes(file: string): string {
  const source = parse(file);
  const shown = source.statements.filter(
    (node) =>
      (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) &&
      ["Cause", "ArtifactRef", "LogRef", "StoredEvent"].includes(node.name.text),
  );
  return [
    "```ts",
    shown.map((node) => source.text.slice(node.getFullStart(), node.end).trim()).join("\n\n"),
    "```",
  ].join("\n");
}

function eventSection(event: EventDoc): string {
  const rows = event.fields.map((field) => [
    code(field.isOptional ? `${field.name}?` : field.name),
    code(field.type),
    field.comment,
  ]);
  const fields = rows.length === 0 ? "No fields of its own." : table(["field", "type", "meaning"], rows);
  return [`## ${event.type}`, ...(event.comment === "" ? [] : [event.comment]), fields].join("\n\n");
}

export function eventsPage(file: string): string {
  return page(
    "Events",
    "Every fact that can be stored about a run; the format on disk, of `pawl events --jsonl` and on the wire. Names are frozen. Each event also has `type` and `at` (milliseconds since 1970). `stage` is the path of a stage: `build`, or a member of a group: `tests.lint`, `tests[3]`.",
    ...eventDocs(file).map(eventSection),
    "## Types named above",
    namedTypes(file),
  );
}
