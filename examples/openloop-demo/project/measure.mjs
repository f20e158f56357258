import { greet } from "./app.mjs";

const names = ["Ada", "Grace", "Alan"];
const good = names.filter((name) => greet(name).endsWith(name)).length;
console.log(`score=${good / names.length}`);
