// Loads the module from the text of the package, without waiting: for Node, and for bundlers that
// leave out files.
import { native, nativeSimd } from './modules.js';
import { initSync } from './native.js';
import { hasSimd } from './simd.js';
import { failure } from './start.js';

try {
    const text = atob(hasSimd ? nativeSimd : native);
    const module = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) module[i] = text.charCodeAt(i);
    initSync({ module });
} catch (cause) {
    throw failure(cause, 'On the main thread, Chrome must be of 2023 or newer.');
}
export * from './falcon.js';
