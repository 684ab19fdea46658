// Checks the lines of OURS: generates the keys again from the seeds, and verifies the signatures.
// Writes lines with its own signatures to THEIRS. src/main.rs describes the lines.
//
//   node noble.mjs OURS THEIRS
import { falcon512, falcon512padded, falcon1024, falcon1024padded }
    from '@noble/post-quantum/falcon.js';
import { readFileSync, writeFileSync } from 'node:fs';

const [ours, theirs] = process.argv.slice(2);
const schemes = {
    'Falcon-512': [falcon512, falcon512padded],
    'Falcon-1024': [falcon1024, falcon1024padded],
};
const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'));
const hex = (data) => Buffer.from(data).toString('hex');
const require = (condition, what) => {
    if (!condition) throw new Error(what);
};

const lines = readFileSync(ours, 'utf8').trimEnd().split('\n')
    .filter((line) => line.split('\t')[0] in schemes).map((line) => {
    const [name, seed, publicKey, secretKey, message, ...signatures] = line.split('\t').slice(0, 7);
    const text = bytes(message);
    const other = new Uint8Array([...text, 0]);
    const own = schemes[name].map((scheme, i) => {
        const key = scheme.keygen(bytes(seed));
        require(hex(key.publicKey) === publicKey, 'another public key');
        require(hex(key.secretKey) === secretKey, 'another secret key');
        const signature = bytes(signatures[i]);
        require(scheme.verify(signature, text, key.publicKey), 'a refused signature');
        let accepted = false;
        try {
            accepted = scheme.verify(signature, other, key.publicKey);
        } catch { /* An error is a refusal, too. */ }
        require(!accepted, 'a signature of another message');
        return hex(scheme.sign(text, key.secretKey));
    });
    return [name, seed, publicKey, secretKey, message, ...own, '-', '-', '-'].join('\t');
});
writeFileSync(theirs, lines.join('\n') + '\n');
console.log(`noble: ${lines.length} equal keys, ${2 * lines.length} signatures verified`);
