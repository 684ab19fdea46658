// Loads the module from a file beside this one, in Node.
import { readFileSync } from 'node:fs';
import { initSync } from './native.js';
import { hasSimd } from './simd.js';

const name = hasSimd ? './native_simd.wasm' : './native.wasm';
initSync({ module: readFileSync(new URL(name, import.meta.url)) });
export * from './falcon.js';
