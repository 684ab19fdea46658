// Arguments, errors, formats, pieces, documents, freed objects, wiped memory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { format, inspect } from 'node:util';
import { test } from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import {
    FalconError, Signer, SigningKey, Verifier, VerifyingKey, convertSignature, inspectSignature,
} from '../pkg/inline.js';
import { initSync } from '../pkg/native.js';
import {
    CT_LEN, PADDED_LEN, PARAMETERS, SIGNING_KEY_LEN, VERIFYING_KEY_LEN, statement, text, trusted,
} from './common.mjs';

const MESSAGE = text('order #42');
const keys = Object.fromEntries(PARAMETERS.map((name, i) =>
    [name, SigningKey.fromSeed(new Uint8Array(32).fill(i + 1), name)]));
const small = keys['Falcon-512'];
const falconError = (code, message = /./) => (error) => {
    assert.ok(error instanceof FalconError, inspect(error));
    assert.equal(error.name, 'FalconError');
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
};
const wrongType = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' };
const wrongValue = { name: 'RangeError', code: 'ERR_INVALID_ARG_VALUE' };
const flipped = (data, bit) => {
    const copy = data.slice();
    copy[bit >> 3] ^= 1 << (bit & 7);
    return copy;
};

test('the signature of an envelope or manifest does not sign its text as a message', () => {
    const key = (name) => VerifyingKey.fromBytes(trusted(name));
    for (const [file, parameters] of [
        ['order-512.sig', 'Falcon-512'], ['order-1024.sig', 'Falcon-1024'],
        ['folder-512.manifest', 'Falcon-512'], ['folder-1024.manifest', 'Falcon-1024'],
    ]) {
        const { message, signature, fingerprint } = statement(file);
        assert.equal(key(fingerprint).verify(message, signature), false, file);
        const verifier = key(fingerprint).verifier(signature);
        assert.equal(verifier.update(message).finalize(), false, file);
        // This package signs the text as a plain message. kinds.rs of falcon-cli tests that such a
        // signature makes no statement.
        const own = keys[parameters];
        assert.equal(own.verifyingKey.verify(message, own.sign(message)), true, file);
    }
});

// Runs a program in another process, after these modules. Returns what it prints.
const inNode = (program, ...imports) => execFileSync(process.execPath,
    [...imports.flatMap((each) => ['--import', each]), '--input-type=module', '--eval', program],
    { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
const script = (text) => `data:text/javascript,${encodeURIComponent(text)}`;

test('the module with vectors is loaded where the engine has them', () => {
    const spy = script(`const { Module } = WebAssembly;
        WebAssembly.Module = class extends Module {
            constructor(data) {
                console.log(data.length);
                super(data);
            }
        };`);
    const load = "await import('../pkg/inline.js')";
    const size = (name) => fs.statSync(new URL(`../pkg/${name}`, import.meta.url)).size;
    assert.equal(inNode(load, spy), `${size('native_simd.wasm')}\n`);
    assert.equal(inNode(load, spy, './no-simd.mjs'), `${size('native.wasm')}\n`);
});

test('an engine that refuses WebAssembly is named', () => {
    const load = (name) => `await import('../pkg/${name}').catch(({ name, code, message, cause }) =>
        console.log(name, code, message, cause.name))`;
    const refused = /^FalconError ERR_LOAD WebAssembly did not start: .* 'wasm-unsafe-eval'\. /;
    for (const [change, name] of [
        ['delete globalThis.WebAssembly', 'ReferenceError'],
        ['WebAssembly.Module = function Module() { throw new RangeError("too large"); }',
            'RangeError'],
    ]) {
        const printed = inNode(load('inline.js'), script(change));
        assert.match(printed, refused);
        assert.ok(printed.endsWith(` ${name}\n`), printed);
    }
    // A server without the file, or with a page in its place.
    const answers = {
        '404': "new Response('', { status: 404 })",
        'expected magic word': "new Response('<!doctype html>')",
        'no network': "Promise.reject(new TypeError('no network'))",
    };
    for (const [message, answer] of Object.entries(answers)) {
        const printed = inNode(load('web.js'), script(`globalThis.fetch = async () => ${answer};`));
        assert.match(printed, refused);
        assert.ok(printed.includes(message), printed);
        assert.match(printed, /left out file:.*native.*\.wasm, import falconsign\/inline instead/);
    }
});

test('lengths, names, formats', () => {
    assert.equal(SigningKey.generate().parameters, 'Falcon-512');
    for (const [parameters, key] of Object.entries(keys)) {
        const publicKey = key.verifyingKey;
        assert.equal(key.parameters, parameters);
        assert.equal(publicKey.parameters, parameters);
        assert.equal(key.toBytes().length, SIGNING_KEY_LEN[parameters]);
        assert.equal(publicKey.toBytes().length, VERIFYING_KEY_LEN[parameters]);
        assert.match(key.fingerprint, /^[0-9a-f]{64}$/);
        assert.equal(publicKey.fingerprint, key.fingerprint);
        assert.ok(publicKey.equals(key.verifyingKey));
        const padded = key.sign(MESSAGE);
        assert.equal(padded.length, PADDED_LEN[parameters]);
        assert.equal(key.sign(MESSAGE, { format: 'ct' }).length, CT_LEN[parameters]);
        const formats = ['padded', 'compressed', 'ct'];
        for (const to of formats) {
            const signature = convertSignature(padded, { to });
            assert.deepEqual(inspectSignature(signature), { parameters, format: to });
            for (const format of formats) {
                assert.equal(publicKey.verify(MESSAGE, signature, { format }), format === to);
            }
            assert.deepEqual(convertSignature(signature, { from: to }), padded);
        }
    }
    const [one, two] = PARAMETERS.map((name) => keys[name].verifyingKey);
    assert.equal(one.equals(two), false);
    assert.equal(two.verify(MESSAGE, small.sign(MESSAGE)), false);
});

test('without random bytes there is no key, no signature and no encrypted document', (t) => {
    for (const fill of [() => {}, (array) => array.fill(0), () => { throw new Error('none'); }]) {
        const random = t.mock.method(globalThis.crypto, 'getRandomValues', fill);
        for (const work of [() => SigningKey.generate(), () => small.sign(MESSAGE),
            () => small.signer(), () => small.toPem({ passphrase: 'secret' }),
            () => small.toDer({ passphrase: 'secret' }),
        ]) assert.throws(work, falconError('ERR_RANDOM', /getRandomValues/), `${fill} ${work}`);
        random.mock.restore();
    }
});

test('two signatures of a message differ', () => {
    assert.notDeepEqual(small.sign(MESSAGE), small.sign(MESSAGE));
    assert.equal(SigningKey.generate().verifyingKey.equals(SigningKey.generate().verifyingKey),
        false);
});

test('arguments of a wrong type are refused', () => {
    const publicKey = small.verifyingKey;
    const signature = small.sign(MESSAGE);
    const detached = new Uint8Array(8);
    structuredClone(detached, { transfer: [detached.buffer] });
    const disguised = Object.defineProperty(new Float64Array([1, 2]), Symbol.toStringTag,
        { value: 'Uint8Array' });
    const wrong = ['order #42', 42, null, undefined, [1, 2, 3], {}, new ArrayBuffer(8),
        new Uint16Array(4), new DataView(new ArrayBuffer(8)), new Int8Array(4),
        { length: 3, [Symbol.toStringTag]: 'Uint8Array' }, detached, disguised];
    for (const value of wrong) {
        for (const work of [
            () => small.sign(value),
            () => small.signer().update(value),
            () => publicKey.verify(value, signature),
            () => publicKey.verify(MESSAGE, value),
            () => publicKey.verifier(value),
            () => publicKey.verifier(signature).update(value),
            () => SigningKey.fromSeed(value),
            () => SigningKey.fromReferenceSeed(value),
            () => SigningKey.fromBytes(value),
            () => SigningKey.fromDer(value),
            () => VerifyingKey.fromBytes(value),
            () => VerifyingKey.fromDer(value),
            () => inspectSignature(value),
            () => convertSignature(value),
        ]) assert.throws(work, wrongType, `${work} ${inspect(value)}`);
    }
    for (const value of [42, null, {}, MESSAGE]) {
        assert.throws(() => SigningKey.generate(value), wrongType);
        assert.throws(() => SigningKey.fromPem(value), wrongType);
        assert.throws(() => VerifyingKey.fromPem(value), wrongType);
        assert.throws(() => small.sign(MESSAGE, { format: value }), wrongType);
    }
    for (const value of [42, null, {}, [1]]) {
        assert.throws(() => small.toPem({ passphrase: value }), wrongType);
    }
    const inherited = Object.create({ passphrase: 'secret', format: 'ct' });
    for (const value of [null, 'padded', 42, inherited, new Map()]) {
        assert.throws(() => small.sign(MESSAGE, value), wrongType);
        assert.throws(() => small.toPem(value), wrongType);
        assert.throws(() => convertSignature(signature, value), wrongType);
    }
    // An option that is given must have a value: a key must not be saved without its passphrase.
    const unset = { passphrase: process.env.FALCON_UNSET };
    for (const work of [() => small.toPem(unset), () => small.toDer(unset),
        () => SigningKey.fromPem(small.toPem(), unset),
        () => small.sign(MESSAGE, { format: undefined }),
        () => publicKey.verify(MESSAGE, signature, { format: undefined }),
        () => convertSignature(signature, { to: undefined }),
    ]) assert.throws(work, { ...wrongType, message: /not undefined$/ });
    assert.match(small.toPem(Object.create(null)), /^-----BEGIN PRIVATE KEY/);
    assert.throws(() => publicKey.equals(small), wrongType);
    assert.throws(() => publicKey.equals({}), wrongType);
    assert.throws(() => SigningKey.prototype.sign.call(publicKey, MESSAGE), wrongType);
    assert.throws(() => VerifyingKey.prototype.verify.call(small, MESSAGE, signature), wrongType);
    for (const kind of [SigningKey, VerifyingKey, Signer, Verifier]) {
        assert.throws(() => new kind(), { name: 'TypeError', code: 'ERR_ILLEGAL_CONSTRUCTOR' });
    }
});

test('unknown names, misspelt options and wrong seeds are refused', () => {
    for (const name of ['falcon-512', 'Falcon-256', '', '__proto__']) {
        assert.throws(() => SigningKey.generate(name), wrongValue);
        assert.throws(() => small.sign(MESSAGE, { format: name }), wrongValue);
    }
    assert.throws(() => small.toPem({ password: 'secret' }), wrongValue);
    assert.throws(() => small.sign(MESSAGE, { fromat: 'ct' }), wrongValue);
    assert.throws(() => convertSignature(small.sign(MESSAGE), { too: 'ct' }), wrongValue);
    for (const length of [0, 31, 33, 48]) {
        assert.throws(() => SigningKey.fromSeed(new Uint8Array(length)),
            { ...wrongValue, message: `the seed has ${length} bytes; it must have 32` });
    }
    assert.throws(() => SigningKey.fromReferenceSeed(new Uint8Array(32)), wrongValue);
});

test('bytes of Buffers, views, shared memory and other realms', () => {
    const publicKey = small.verifyingKey;
    const signature = small.sign(Buffer.from('order #42'));
    const wide = new Uint8Array([0, ...MESSAGE, 0]);
    const shared = new Uint8Array(new SharedArrayBuffer(MESSAGE.length));
    shared.set(MESSAGE);
    const foreign = vm.runInNewContext('new Uint8Array(bytes)', { bytes: [...MESSAGE] });
    assert.equal(foreign instanceof Uint8Array, false);
    // Properties that the caller defines on the array are ignored.
    const forged = Object.defineProperties(MESSAGE.slice(), {
        length: { value: 0 }, subarray: { value: () => new Uint8Array() },
        buffer: { value: new ArrayBuffer(0) }, byteOffset: { value: 1 },
    });
    for (const message of [MESSAGE, wide.subarray(1, -1), shared, foreign, forged]) {
        assert.equal(publicKey.verify(message, signature), true);
        const pieces = publicKey.verifier(signature).update(message);
        assert.equal(pieces.finalize(), true);
        assert.equal(publicKey.verify(MESSAGE, small.sign(message)), true);
    }
});

test('truncated and longer signatures and keys are refused', () => {
    for (const [parameters, key] of Object.entries(keys)) {
        const publicKey = key.verifyingKey;
        const signature = key.sign(MESSAGE);
        // A padded signature without its last byte may be a compressed one, but is not verified.
        const { length: shortest } = convertSignature(signature, { to: 'compressed' });
        for (const length of [0, 1, 40, 41, 42, 600, shortest - 1, signature.length - 1]) {
            const cut = signature.subarray(0, length);
            assert.equal(publicKey.verify(MESSAGE, cut), false);
            assert.throws(() => publicKey.verifier(cut), falconError('ERR_MALFORMED_SIGNATURE'));
            if (length !== shortest) {
                assert.throws(() => inspectSignature(cut), falconError('ERR_MALFORMED_SIGNATURE'));
            }
        }
        const long = new Uint8Array([...signature, 0]);
        assert.equal(publicKey.verify(MESSAGE, long), false);
        assert.throws(() => publicKey.verifier(long), falconError('ERR_MALFORMED_SIGNATURE',
            new RegExp(`${long.length} bytes; a padded ${parameters} .* Was something added`)));
        for (const [read, data] of [
            [SigningKey.fromBytes, key.toBytes()], [VerifyingKey.fromBytes, publicKey.toBytes()],
            [SigningKey.fromDer, key.toDer()], [VerifyingKey.fromDer, publicKey.toDer()],
        ]) {
            for (const wrong of [data.subarray(0, -1), data.subarray(1), new Uint8Array(),
                new Uint8Array([...data, 0])]) {
                assert.throws(() => read(wrong), falconError('ERR_MALFORMED_KEY'));
            }
        }
    }
    assert.throws(() => VerifyingKey.fromBytes(text(small.verifyingKey.toPem())),
        falconError('ERR_MALFORMED_KEY', /fromPem/));
});

test('no flipped bit of a signature is accepted, and none of a key goes unnoticed', () => {
    for (const key of Object.values(keys)) {
        const publicKey = key.verifyingKey;
        const signature = key.sign(MESSAGE);
        for (let bit = 0; bit < 8 * signature.length; bit += 7) {
            assert.equal(publicKey.verify(MESSAGE, flipped(signature, bit)), false, `bit ${bit}`);
        }
        const data = publicKey.toBytes();
        for (let bit = 0; bit < 8 * data.length; bit += 31) {
            try {
                assert.equal(VerifyingKey.fromBytes(flipped(data, bit)).verify(MESSAGE, signature),
                    false);
            } catch (error) {
                falconError('ERR_MALFORMED_KEY')(error);
            }
        }
        for (let bit = 0; bit < 8 * MESSAGE.length; bit += 1) {
            assert.equal(publicKey.verify(flipped(MESSAGE, bit), signature), false);
        }
    }
});

test('pieces give what the whole message gives', (t) => {
    t.mock.method(globalThis.crypto, 'getRandomValues', (array) => array.fill(5));
    const long = Uint8Array.from({ length: 200_000 }, (_, i) => i * i);
    for (const key of Object.values(keys)) {
        const whole = key.sign(long);
        for (const size of [1_000, 65_535, 65_536, 65_537, 199_999, 200_000]) {
            const signer = key.signer();
            const verifier = key.verifyingKey.verifier(whole);
            for (let start = 0; start < long.length; start += size) {
                const piece = long.subarray(start, start + size);
                assert.equal(signer.update(piece), signer);
                verifier.update(piece).update(new Uint8Array());
            }
            assert.deepEqual(signer.finalize(), whole);
            assert.equal(verifier.finalize(), true);
        }
        const verifier = key.verifyingKey.verifier(whole).update(long.subarray(1));
        assert.equal(verifier.finalize(), false);
        assert.deepEqual(key.signer().finalize(), key.sign(new Uint8Array()));
    }
});

test('a signer signs once, a verifier verifies once', () => {
    const signer = small.signer().update(MESSAGE);
    // A wrong format does not end the message.
    assert.throws(() => signer.finalize({ format: 'short' }), wrongValue);
    const verifier = small.verifyingKey.verifier(signer.finalize());
    assert.equal(verifier.update(MESSAGE).finalize(), true);
    for (const used of [signer, verifier]) {
        assert.throws(() => used.update(MESSAGE), falconError('ERR_FINISHED'));
        assert.throws(() => used.finalize(), falconError('ERR_FINISHED'));
    }
});

test('documents', () => {
    for (const key of Object.values(keys)) {
        const publicKey = key.verifyingKey;
        assert.match(publicKey.toPem(), /^-----BEGIN PUBLIC KEY-----\n/);
        assert.ok(VerifyingKey.fromPem(publicKey.toPem()).equals(publicKey));
        const windows = publicKey.toPem().replaceAll('\n', '\r\n');
        assert.ok(VerifyingKey.fromPem(windows).equals(publicKey));
        assert.ok(VerifyingKey.fromPem(`\n${windows}\n`).equals(publicKey));
        assert.ok(VerifyingKey.fromDer(publicKey.toDer()).equals(publicKey));
        assert.match(key.toPem(), /^-----BEGIN PRIVATE KEY-----\n/);
        assert.deepEqual(SigningKey.fromPem(key.toPem()).toBytes(), key.toBytes());
        assert.deepEqual(SigningKey.fromDer(key.toDer()).toBytes(), key.toBytes());
        assert.throws(() => VerifyingKey.fromPem(key.toPem()),
            falconError('ERR_MALFORMED_KEY', /another label/));
        assert.throws(() => SigningKey.fromPem(publicKey.toPem()),
            falconError('ERR_MALFORMED_KEY', /another label/));
        assert.throws(() => SigningKey.fromPem('no PEM'), falconError('ERR_MALFORMED_KEY'));
    }
});

test('encrypted documents', () => {
    const passphrase = 'größer 🔑';
    const locked = small.toPem({ passphrase });
    assert.match(locked, /^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
    assert.notEqual(locked, small.toPem({ passphrase }));
    assert.deepEqual(SigningKey.fromPem(locked, { passphrase }).toBytes(), small.toBytes());
    assert.deepEqual(SigningKey.fromPem(locked, { passphrase: text(passphrase) }).toBytes(),
        small.toBytes());
    const der = small.toDer({ passphrase });
    assert.deepEqual(SigningKey.fromDer(der, { passphrase }).toBytes(), small.toBytes());
    for (const [work, message] of [
        [() => SigningKey.fromPem(locked), /is encrypted/],
        [() => SigningKey.fromPem(locked, { passphrase: 'another' }), /wrong passphrase/],
        [() => SigningKey.fromPem(locked, { passphrase: '' }), /wrong passphrase/],
        [() => SigningKey.fromPem(small.toPem(), { passphrase }), /not encrypted/],
        [() => SigningKey.fromDer(small.toDer(), { passphrase }), /not encrypted/],
        [() => small.toPem({ passphrase: '' }), /empty/],
        [() => small.toDer({ passphrase: new Uint8Array() }), /empty/],
    ]) assert.throws(work, falconError('ERR_PASSPHRASE', message));
    // The package cannot tell whether a damaged document is encrypted.
    for (const damaged of [der.subarray(0, -1), der.subarray(1), small.toDer().subarray(0, -1)]) {
        assert.throws(() => SigningKey.fromDer(damaged, { passphrase }),
            falconError('ERR_MALFORMED_KEY', /malformed or truncated/));
    }
});

// The attribute keyUsage with keyCertSign and cRLSign, as docs/FORMATS.md has it.
const USAGE = Uint8Array.from(Buffer.from('300b0603551d0f310403020106', 'hex'));

// The document of a key with these attributes, which are short.
const withAttributes = (key, ...attributes) => {
    const content = Buffer.concat(attributes);
    const fields = Buffer.concat([key.toDer().subarray(4), Uint8Array.of(0xa0, content.length),
        content]);
    return Uint8Array.of(0x30, 0x82, fields.length >> 8, fields.length & 255, ...fields);
};

test('a key for certificates signs no message', () => {
    for (const key of Object.values(keys)) {
        assert.equal(key.certificatesOnly, false);
        const der = withAttributes(key, USAGE);
        const passphrase = 'horse';
        const marked = SigningKey.fromDer(der);
        for (const read of [
            marked, SigningKey.fromDer(marked.toDer()), SigningKey.fromPem(marked.toPem()),
            SigningKey.fromDer(marked.toDer({ passphrase }), { passphrase }),
            SigningKey.fromPem(marked.toPem({ passphrase }), { passphrase }),
        ]) {
            assert.equal(read.certificatesOnly, true);
            assert.deepEqual(read.toDer(), der);
            assert.ok(read.verifyingKey.equals(key.verifyingKey));
            for (const sign of [() => read.sign(MESSAGE), () => read.signer()]) {
                assert.throws(sign, falconError('ERR_KEY_USE', /signs certificates only/));
            }
        }
        // The encoding of the specification has no place for the mark.
        assert.equal(SigningKey.fromBytes(marked.toBytes()).certificatesOnly, false);
    }
    const names = Object.getOwnPropertyNames(SigningKey.prototype);
    assert.deepEqual(names.filter((name) => /sign/.test(name)).sort(), ['sign', 'signer']);
});

test('other uses of keys sign, and damaged ones are refused', () => {
    // digitalSignature and keyCertSign.
    const both = USAGE.with(-2, 2).with(-1, 0x84);
    const key = SigningKey.fromDer(withAttributes(small, both));
    assert.equal(key.certificatesOnly, false);
    assert.ok(key.verifyingKey.verify(MESSAGE, key.sign(MESSAGE)));
    for (const attributes of [[USAGE, USAGE], [USAGE, both], [USAGE.with(-1, 0)],
        [USAGE.subarray(0, -2)]]) {
        assert.throws(() => SigningKey.fromDer(withAttributes(small, ...attributes)),
            falconError('ERR_MALFORMED_KEY', /malformed or truncated/));
    }
});

test('freed objects throw', () => {
    const key = SigningKey.generate();
    const publicKey = key.verifyingKey;
    const signature = key.sign(MESSAGE);
    const signer = key.signer().update(MESSAGE);
    const verifier = publicKey.verifier(signature);
    key.free();
    key.free();
    for (const work of [() => key.sign(MESSAGE), () => key.toBytes(), () => key.verifyingKey,
        () => key.signer(), () => key.toPem(), () => key.toDer(), () => key.parameters,
        () => key.fingerprint]) {
        assert.throws(work, falconError('ERR_FREED', /SigningKey/));
    }
    // A signer keeps what it needs, and so does a verifying key.
    assert.equal(publicKey.verify(MESSAGE, signer.finalize()), true);
    const other = small.verifyingKey;
    publicKey[Symbol.dispose]();
    for (const work of [() => publicKey.verify(MESSAGE, signature), () => publicKey.toBytes(),
        () => publicKey.fingerprint, () => publicKey.equals(other),
        () => other.equals(publicKey)]) {
        assert.throws(work, falconError('ERR_FREED', /VerifyingKey/));
    }
    assert.equal(verifier.update(MESSAGE).finalize(), true);
    signer.free();
    verifier.free();
    assert.throws(() => signer.update(MESSAGE), falconError('ERR_FREED', /Signer/));
    assert.throws(() => verifier.finalize(), falconError('ERR_FREED', /Verifier/));
});

test('a signing key is not shown', () => {
    const secret = small.toBytes();
    const parts = [secret.subarray(1, 17), secret.subarray(-16)];
    const texts = parts.flatMap((part) => [Buffer.from(part).toString('latin1'),
        Buffer.from(part).toString('hex'), part.join(',')]);
    for (const shown of [inspect(small), inspect(small, { showHidden: true, depth: 9 }),
        inspect(small, { getters: true, depth: 9 }), format('%o', small), String(small),
        JSON.stringify({ ...small })]) {
        assert.ok(!texts.some((text) => shown.includes(text)), shown);
        // Names of getters are no values.
        assert.ok(shown.replace(/\s+\[\w+\]: \[Getter\],?/g, '').length < 150, shown);
    }
});

test('keys and signers are not copied', () => {
    const key = SigningKey.generate();
    const publicKey = key.verifyingKey;
    const { port1, port2 } = new MessageChannel();
    for (const each of [key.signer(), publicKey.verifier(key.sign(MESSAGE)), key, publicKey]) {
        for (const value of [each, { key: each }, [each], new Map([['key', each]]), { ...each }]) {
            for (const copy of [() => structuredClone(value), () => port1.postMessage(value)]) {
                assert.throws(copy, { name: 'DataCloneError', message: /send toBytes\(\)/ });
            }
            assert.throws(() => v8.serialize(value), /send toBytes\(\)/);
        }
        for (const value of [each, { key: each }, [each]]) {
            assert.throws(() => JSON.stringify(value), falconError('ERR_JSON', /toPem/));
        }
        // Also after it was freed.
        each.free();
        assert.throws(() => structuredClone(each), { name: 'DataCloneError' });
        assert.throws(() => JSON.stringify(each), falconError('ERR_JSON'));
    }
    port1.close();
    port2.close();
});

test('a freed key is gone from the memory of the module', (t) => {
    const { memory } = initSync();
    const places = (needle) => Buffer.from(memory.buffer).includes(needle);
    const seed = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
    const key = SigningKey.fromSeed(seed);
    const data = key.toBytes();
    // The coefficients of F have one byte each, in memory as in the encoding.
    const capitalF = Buffer.from(data.subarray(769, 1281));
    const encoded = Buffer.from(data.subarray(1, 769));
    assert.ok(places(capitalF));
    const passphrase = Buffer.from('a passphrase that is nowhere else');
    const signer = key.signer().update(MESSAGE);
    const pem = key.toPem({ passphrase });
    const plain = key.toPem();
    SigningKey.fromPem(pem, { passphrase: passphrase.toString() }).free();
    SigningKey.fromPem(plain).free();
    SigningKey.fromBytes(data).free();
    SigningKey.fromDer(key.toDer()).free();
    // A marked key also holds its document.
    const marked = SigningKey.fromDer(withAttributes(key, USAGE));
    marked.toDer();
    marked.free();
    // Secret keys that are passed by mistake.
    for (const read of [() => VerifyingKey.fromPem(plain), () => VerifyingKey.fromBytes(data),
        () => VerifyingKey.fromDer(key.toDer())]) {
        assert.throws(read, falconError('ERR_MALFORMED_KEY'));
    }
    let fresh;
    t.mock.method(globalThis.crypto, 'getRandomValues', (array) => {
        fresh ??= Buffer.from(seed.toReversed());
        array.set(fresh.subarray(0, array.length));
        return array;
    });
    key.sign(MESSAGE);
    SigningKey.generate().free();
    key.free();
    assert.ok(places(capitalF), 'the signer keeps the key');
    // A signer that has signed keeps nothing, even if it is not freed.
    signer.finalize();
    const body = Buffer.from(plain.split('\n').slice(20, 22).join('\n'));
    const secrets = { capitalF, encoded, seed, passphrase, body, fresh };
    for (const [name, secret] of Object.entries(secrets)) {
        assert.ok(!places(secret.subarray(0, 512)), `${name} is left in memory`);
        // Not even a part.
        assert.ok(!places(secret.subarray(-16)), `${name} is partly left in memory`);
    }
    signer.free();
});

test('a message of 64 MiB takes no more memory', () => {
    const { memory } = initSync();
    const before = memory.buffer.byteLength;
    const long = new Uint8Array(1 << 26);
    assert.equal(small.verifyingKey.verify(long, small.sign(long)), true);
    assert.equal(memory.buffer.byteLength, before);
});
