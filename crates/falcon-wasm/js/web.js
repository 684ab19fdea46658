// Loads the module by its address, in browsers and through bundlers.
import load from './native.js';
import { hasSimd } from './simd.js';

await load({
    module_or_path: hasSimd
        ? new URL('./native_simd.wasm', import.meta.url)
        : new URL('./native.wasm', import.meta.url),
});
export * from './falcon.js';
