// Loaded before the tests, makes the engine one without vector instructions:
// `node --import ./no-simd.mjs --test`.
WebAssembly.validate = () => false;
