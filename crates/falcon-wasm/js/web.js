// Loads the module by its address, in browsers and through bundlers.
import load from './native.js';
import { hasSimd } from './simd.js';
import { failure } from './start.js';

// Bundlers recognise this form, and copy both files.
const address = hasSimd
    ? new URL('./native_simd.wasm', import.meta.url)
    : new URL('./native.wasm', import.meta.url);
try {
    await load({ module_or_path: address });
} catch (cause) {
    throw failure(cause,
        `If a bundler left out ${address}, import falconsign/inline instead.`);
}
export * from './falcon.js';
