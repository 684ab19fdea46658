// Compares bytes with those of the native library, which examples/expected.rs prints. check.sh
// writes them to the file FALCON_EXPECTED.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SigningKey, convertSignature } from '../pkg/inline.js';
import { bytes, hex } from './common.mjs';

test('keys and signatures of fixed seeds are those of the native library', (t) => {
    let fresh;
    const random = t.mock.method(globalThis.crypto, 'getRandomValues', (array) => {
        assert.equal(array.length, 32);
        array.set(fresh);
        return array;
    });
    const lines = readFileSync(process.env.FALCON_EXPECTED, 'utf8').trim().split('\n');
    assert.equal(lines.length, 32);
    for (const line of lines) {
        const [parameters, seed, ofSignature, message, secretKey, signature] = line.split('\t');
        const key = SigningKey.fromSeed(bytes(seed), parameters);
        assert.equal(hex(key.toBytes()), secretKey);
        fresh = bytes(ofSignature);
        assert.equal(hex(key.sign(bytes(message))), signature);
        // Another format holds the same signature.
        const short = key.sign(bytes(message), { format: 'compressed' });
        assert.equal(hex(convertSignature(short, { from: 'compressed' })), signature);
        fresh = bytes(seed);
        const generated = SigningKey.generate(parameters);
        assert.equal(hex(generated.toBytes()), secretKey);
    }
    assert.equal(random.mock.callCount(), 3 * lines.length);
});
