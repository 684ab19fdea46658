// Makes the error of a module that does not start.
import { FalconError } from './falcon.js';

// `cause` is what the engine threw, `hint` a sentence that says what to try.
export const failure = (cause, hint) => new FalconError('ERR_LOAD',
    `WebAssembly did not start: ${cause.message}. ${hint} A Content-Security-Policy must have `
    + "script-src 'wasm-unsafe-eval'.", { cause });
