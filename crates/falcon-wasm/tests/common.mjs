// Helpers of the tests.
import { createCipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const kat = (path) => readFileSync(new URL(`../../../kat/${path}`, import.meta.url), 'utf8');

export const PARAMETERS = ['Falcon-512', 'Falcon-1024'];
export const PADDED_LEN = { 'Falcon-512': 666, 'Falcon-1024': 1280 };
export const CT_LEN = { 'Falcon-512': 809, 'Falcon-1024': 1577 };
export const SIGNING_KEY_LEN = { 'Falcon-512': 1281, 'Falcon-1024': 2305 };
export const VERIFYING_KEY_LEN = { 'Falcon-512': 897, 'Falcon-1024': 1793 };
export const text = (string) => new TextEncoder().encode(string);
export const bytes = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
export const hex = (data) => Buffer.from(data).toString('hex');

// The records of one of NIST's files, as objects of hexadecimal strings.
export function nistRecords(degree) {
    return kat(`falcon-round3/falcon${degree}-KAT.first10.rsp`).split('\n\n')
        .map((record) => Object.fromEntries(record.trim().split('\n')
            .map((line) => line.split(' = '))))
        .filter((record) => record.sm);
}

// The first 48 bytes of NIST's generator AES-256-CTR-DRBG, started from `entropy`.
export function firstRandomBytes(entropy) {
    const blocks = (key, counter) => {
        const start = BigInt(`0x${hex(counter)}`);
        const plain = [1n, 2n, 3n]
            .map((number) => (start + number).toString(16).padStart(32, '0')).join('');
        return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(plain, 'hex');
    };
    const state = blocks(Buffer.alloc(32), Buffer.alloc(16)).map((byte, i) => byte ^ entropy[i]);
    return new Uint8Array(blocks(state.subarray(0, 32), state.subarray(32)));
}

// The lines of a file of kat/ that are no comments, split at blanks.
export function lines(path) {
    return kat(path).trim().split('\n').filter((line) => !line.startsWith('#'))
        .map((line) => line.split(' '));
}

export function shake256(data) {
    return createHash('shake256', { outputLength: 32 }).update(data).digest('hex');
}

// The statement of a file of kat/envelope, its signature, and the fingerprint of the key.
export function statement(file) {
    const whole = kat(`envelope/${file}`);
    const signed = whole.slice(whole.indexOf('falcon-envelope v1\n'));
    const [message, signature] = signed.split('signature: ');
    return {
        message: text(message),
        signature: new Uint8Array(Buffer.from(signature, 'base64')),
        fingerprint: /^key: (.*)$/m.exec(message)[1],
    };
}

// The encoded key of a fingerprint in kat/envelope/trust.
export function trusted(fingerprint) {
    const [, encoded] = kat('envelope/trust').split(`key: ${fingerprint}\npublic-key: `);
    return new Uint8Array(Buffer.from(encoded.split('\n')[0], 'base64'));
}
