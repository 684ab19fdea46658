// Loads the module from the page itself. build.mjs puts it there, compressed.
import compressed from './native.wasm.gz';
import load from './native.js';

const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
const headers = { 'content-type': 'application/wasm' };
await load({ module_or_path: new Response(stream, { headers }) });
export * from './falcon.js';
