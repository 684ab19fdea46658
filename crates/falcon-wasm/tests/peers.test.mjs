// Keys and signatures of noble-post-quantum and of liboqs, both ways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { falcon512, falcon512padded, falcon1024, falcon1024padded }
    from '@noble/post-quantum/falcon.js';
import {
    createFalcon512, createFalconPadded512, createFalcon1024, createFalconPadded1024,
} from '@oqs/liboqs-js';
import { SigningKey, VerifyingKey } from '../pkg/inline.js';
import { PARAMETERS, text } from './common.mjs';

const FORMATS = ['compressed', 'padded'];
const NOBLE = {
    'Falcon-512': [falcon512, falcon512padded],
    'Falcon-1024': [falcon1024, falcon1024padded],
};
const LIBOQS = {
    'Falcon-512': [createFalcon512, createFalconPadded512],
    'Falcon-1024': [createFalcon1024, createFalconPadded1024],
};
const MESSAGES = [new Uint8Array(), text('order #42'), new Uint8Array(100_000).fill(7)];
const other = (message) => new Uint8Array([...message, 0]);

// Returns the verdict of a peer, which may refuse with an error.
function accepts(verify) {
    try {
        return verify();
    } catch {
        return false;
    }
}

for (const parameters of PARAMETERS) {
    test(`noble, ${parameters}`, () => {
        const seed = crypto.getRandomValues(new Uint8Array(48));
        const key = SigningKey.fromReferenceSeed(seed, parameters);
        NOBLE[parameters].forEach((noble, i) => {
            const format = FORMATS[i];
            const theirs = noble.keygen(seed);
            assert.deepEqual(theirs.publicKey, key.verifyingKey.toBytes());
            assert.deepEqual(theirs.secretKey, key.toBytes());
            for (const message of MESSAGES) {
                const ours = key.sign(message, { format });
                assert.equal(noble.verify(ours, message, theirs.publicKey), true);
                assert.equal(accepts(() => noble.verify(ours, other(message), theirs.publicKey)),
                    false);
                const signature = noble.sign(message, theirs.secretKey);
                const publicKey = VerifyingKey.fromBytes(theirs.publicKey);
                assert.equal(publicKey.verify(message, signature, { format }), true);
                assert.equal(publicKey.verify(other(message), signature, { format }), false);
            }
        });
    });

    test(`liboqs, ${parameters}`, async () => {
        for (const [i, create] of LIBOQS[parameters].entries()) {
            const format = FORMATS[i];
            const liboqs = await create();
            const theirs = liboqs.generateKeyPair();
            const read = SigningKey.fromBytes(new Uint8Array(theirs.secretKey));
            assert.deepEqual(read.verifyingKey.toBytes(), new Uint8Array(theirs.publicKey));
            for (const key of [read, SigningKey.generate(parameters)]) {
                const publicKey = key.verifyingKey;
                for (const message of MESSAGES) {
                    const ours = key.sign(message, { format });
                    assert.equal(liboqs.verify(message, ours, publicKey.toBytes()), true);
                    assert.equal(liboqs.verify(other(message), ours, publicKey.toBytes()), false);
                    const signature = new Uint8Array(liboqs.sign(message, key.toBytes()));
                    assert.equal(publicKey.verify(message, signature, { format }), true);
                    assert.equal(publicKey.verify(other(message), signature, { format }), false);
                }
            }
            liboqs.destroy();
        }
    });
}
