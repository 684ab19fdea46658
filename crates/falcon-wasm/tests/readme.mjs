// Runs the examples of the README one after the other, in one module: `node readme.mjs README.md`.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const page = readFileSync(process.argv[2], 'utf8');
const examples = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
if (examples.length < 4) throw new Error(`${examples.length} examples`);
writeFileSync('examples.mjs', examples.join(''));
await import('./examples.mjs');
rmSync('examples.mjs');
console.log(`${examples.length} examples of the README run`);
