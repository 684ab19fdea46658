// Loaded before the tests. Makes the engine look like one without vector instructions:
// `node --import ./no-simd.mjs --test`.
WebAssembly.validate = () => false;
