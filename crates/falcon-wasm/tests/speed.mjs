// Measures the package, and noble-post-quantum for comparison: `node speed.mjs`. Without vector
// instructions: `node --import ./no-simd.mjs speed.mjs`. Each time is the smallest mean of a
// hundred rounds.
import { falcon512padded, falcon1024padded } from '@noble/post-quantum/falcon.js';
import { SigningKey } from '../pkg/inline.js';
import { hasSimd } from '../pkg/simd.js';
import { text } from './common.mjs';

const MESSAGE = text('order #42');
const NOBLE = { 'Falcon-512': falcon512padded, 'Falcon-1024': falcon1024padded };

// Microseconds of a call.
function time(calls, work) {
    let least = Infinity;
    for (let round = 0; round < 100; round++) {
        const start = performance.now();
        for (let i = 0; i < calls; i++) work(i);
        least = Math.min(least, 1000 * (performance.now() - start) / calls);
    }
    return least;
}

function print(who, what, microseconds) {
    console.log(`${who}: ${what} ${microseconds.toPrecision(3)} us`);
}

const who = hasSimd ? 'with vectors' : 'without vectors';
for (const [parameters, noble] of Object.entries(NOBLE)) {
    const key = SigningKey.fromSeed(new Uint8Array(32), parameters);
    const publicKey = key.verifyingKey;
    const signature = key.sign(MESSAGE);
    // The same seeds in every round.
    const seed = (i) => new Uint8Array(32).fill(i);
    print(who, `${parameters} generate`,
        time(2, (i) => SigningKey.fromSeed(seed(i), parameters).free()));
    print(who, `${parameters} sign`, time(20, () => key.sign(MESSAGE)));
    print(who, `${parameters} verify`, time(200, () => publicKey.verify(MESSAGE, signature)));
    if (!hasSimd) continue;
    const secret = key.toBytes();
    const theirs = publicKey.toBytes();
    print('noble', `${parameters} sign`, time(1, () => noble.sign(MESSAGE, secret)));
    print('noble', `${parameters} verify`,
        time(2, () => noble.verify(signature, MESSAGE, theirs)));
}
const small = SigningKey.fromSeed(new Uint8Array(32));
print(who, 'toPem with a passphrase', time(1, () => small.toPem({ passphrase: 'correct horse' })));
const long = new Uint8Array(1 << 22);
print(who, 'verify 4 MiB', time(1, () => small.verifyingKey.verify(long, small.sign(MESSAGE))));
