// Verifies the signatures of the lines of OURS. Writes lines with its own signatures to THEIRS: one
// for each of our keys, and two for new keys of each parameter set. src/main.rs describes the
// lines. This package of liboqs cannot generate keys from seeds.
//
//   node liboqs.mjs OURS THEIRS
import {
    createFalcon512, createFalconPadded512, createFalcon1024, createFalconPadded1024,
} from '@oqs/liboqs-js';
import { readFileSync, writeFileSync } from 'node:fs';

const [ours, theirs] = process.argv.slice(2);
// The compressed format, then the padded one.
const schemes = {
    'Falcon-512': [await createFalcon512(), await createFalconPadded512()],
    'Falcon-1024': [await createFalcon1024(), await createFalconPadded1024()],
};
const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'));
const hex = (data) => Buffer.from(data).toString('hex');
const require = (condition, what) => {
    if (!condition) throw new Error(what);
};

const lines = [];
let signatures = 0;
for (const line of readFileSync(ours, 'utf8').trimEnd().split('\n')) {
    const [name, seed, publicKey, secretKey, message, compressed, padded] = line.split('\t');
    if (!(name in schemes)) continue;
    const text = bytes(message);
    const other = new Uint8Array([...text, 0]);
    const own = schemes[name].map((scheme, i) => {
        const signature = bytes([compressed, padded][i]);
        require(scheme.verify(text, signature, bytes(publicKey)), 'a refused signature');
        require(!scheme.verify(other, signature, bytes(publicKey)),
            'a signature of another message');
        signatures += 1;
        return hex(scheme.sign(text, bytes(secretKey)));
    });
    lines.push([name, seed, publicKey, secretKey, message, ...own, '-', '-', '-'].join('\t'));
}
require(lines.length > 0, 'no lines');
for (const [name, pair] of Object.entries(schemes)) {
    for (const maker of pair) {
        const { publicKey, secretKey } = maker.generateKeyPair();
        const text = new TextEncoder().encode(name);
        const own = pair.map((scheme) => hex(scheme.sign(text, secretKey)));
        const fields = [publicKey, secretKey, text].map(hex);
        lines.push([name, '-', ...fields, ...own, '-', '-', '-'].join('\t'));
    }
}
writeFileSync(theirs, lines.join('\n') + '\n');
console.log(`liboqs: signed with ${lines.length} keys, ${signatures} signatures verified`);
