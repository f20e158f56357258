/** Passes when the number of letters is the one that was counted: it counts again and believes nobody. */
const [, , text = "", claim = ""] = process.argv;
const letters = [...text].filter((character) => /\p{L}/u.test(character)).length;
console.log(`${text} has ${letters} letters; the claim is ${claim}`);
process.exitCode = claim === `letters=${letters}` ? 0 : 1;
