// NIST's known answers, and keys from seeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SigningKey, VerifyingKey, convertSignature, inspectSignature } from '../pkg/inline.js';
import { bytes, firstRandomBytes, hex, lines, nistRecords, shake256 } from './common.mjs';

for (const degree of [512, 1024]) {
    test(`NIST's records of Falcon-${degree}`, () => {
        const records = nistRecords(degree);
        assert.equal(records.length, 10);
        for (const record of records) {
            const [seed, message, publicKey, secretKey, signed] =
                ['seed', 'msg', 'pk', 'sk', 'sm'].map((name) => bytes(record[name]));
            const key = SigningKey.fromReferenceSeed(firstRandomBytes(seed), `Falcon-${degree}`);
            assert.deepEqual(key.toBytes(), secretKey);
            assert.deepEqual(key.verifyingKey.toBytes(), publicKey);
            assert.equal(SigningKey.fromBytes(secretKey).fingerprint, key.fingerprint);

            // Length of the signature, nonce, message, compressed signature with its own header.
            const length = (signed[0] << 8) | signed[1];
            const body = signed.subarray(-length);
            assert.deepEqual(signed.slice(42, -length), message);
            const signature = new Uint8Array([body[0] | 0x30, ...signed.subarray(2, 42),
                ...body.subarray(1)]);
            assert.deepEqual(inspectSignature(signature),
                { parameters: `Falcon-${degree}`, format: 'compressed' });
            const key2 = VerifyingKey.fromBytes(publicKey);
            assert.equal(key2.verify(message, signature, { format: 'compressed' }), true);
            assert.equal(key2.verify(message.subarray(1), signature, { format: 'compressed' }),
                false);
            const padded = convertSignature(signature, { from: 'compressed' });
            assert.equal(hex(padded).startsWith(hex(signature)), true);
            assert.equal(key2.verify(message, padded), true);
        }
    });
}

test('keys from seeds are those of kat/keygen', () => {
    let seen = 0;
    for (const [logn, seed, , expected] of lines('keygen/from_seed.txt')) {
        const key = SigningKey.fromSeed(bytes(seed), `Falcon-${1 << Number(logn)}`);
        const both = Buffer.concat([key.toBytes(), key.verifyingKey.toBytes()]);
        assert.equal(shake256(both), expected);
        key.free();
        seen += 1;
    }
    assert.equal(seen, 24);
});
