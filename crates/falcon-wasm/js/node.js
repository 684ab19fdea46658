// Loads the module from the file beside this one, in Node.
import { readFileSync } from 'node:fs';
import { initSync } from './native.js';

initSync({ module: readFileSync(new URL('./native_bg.wasm', import.meta.url)) });
export * from './falcon.js';
