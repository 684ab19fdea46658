// Tells whether the engine has the vector instructions of WebAssembly (simd128).

// A module with one function: i32.const 0, i8x16.splat, i8x16.popcnt, drop. An engine without
// WebAssembly fails later, with an error of this package.
export const hasSimd = globalThis.WebAssembly?.validate(new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0,
    10, 11, 1, 9, 0, 65, 0, 253, 15, 253, 98, 26, 11,
]));
