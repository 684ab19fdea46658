// The program of every bundler: compares keys and signatures with known answers, and prints a
// report. The test replaces the name of the package in a copy, and writes answers.js.
import { SigningKey, VerifyingKey } from 'falconsign';
import { answers } from './answers.js';

const bytes = (hex) => Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16));
const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, '0')).join('');
const errorOf = (work) => {
    try {
        return work();
    } catch (error) {
        return error.code && typeof error.code === 'string' ? error.code : error.name;
    }
};

function check({ parameters, seed, message, publicKey, secretKey, signature }) {
    const key = SigningKey.fromReferenceSeed(bytes(seed), parameters);
    const known = VerifyingKey.fromBytes(bytes(publicKey));
    const [data, forged] = [bytes(message), bytes(`00${message}`)];
    const made = key.sign(data);
    // What a user prints while looking for a mistake.
    console.log(key);
    return {
        parameters: key.parameters,
        secretKey: hex(key.toBytes()) === secretKey,
        publicKey: hex(key.verifyingKey.toBytes()) === publicKey,
        known: known.verify(data, bytes(signature), { format: 'compressed' }),
        signed: known.verify(data, made),
        forged: known.verify(forged, made),
        clone: [key, known, key.signer(), known.verifier(made)]
            .map((each) => errorOf(() => structuredClone(each))).join(),
        message: errorOf(() => new MessageChannel().port1.postMessage({ key })),
        json: errorOf(() => JSON.stringify({ key })),
    };
}

console.log(`REPORT ${JSON.stringify(answers.map(check))}`);
