/** Counts the letters of a text and writes the result as JSON. */
const text = process.argv[2] ?? "";
process.stdout.write(JSON.stringify({ letters: text.replace(/\P{L}/gu, "").length }));
