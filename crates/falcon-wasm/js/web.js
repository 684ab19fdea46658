// Loads the module by its address, in browsers and through bundlers.
import load from './native.js';

await load();
export * from './falcon.js';
