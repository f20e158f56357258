/** Writes a greeting. */
process.stdout.write(`Hello, ${process.argv[2]}!`);
