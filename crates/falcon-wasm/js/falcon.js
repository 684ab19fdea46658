// Classes of the package falconsign. They check the types of arguments, pass messages in small
// pieces, and convert what the native part throws to errors. falcon.d.ts documents them.
import * as native from './native.js';

const PARAMETERS = ['Falcon-512', 'Falcon-1024'];
// In the order of FORMATS in src/signature.rs.
const FORMATS = ['padded', 'compressed', 'ct'];
// Bytes of a message that are copied into the memory of the module at a time.
const PIECE = 1 << 16;
// Code that has this symbol may call the constructors.
const INSIDE = Symbol('falconsign');
// Symbols cannot be cloned. The error of structuredClone contains this text.
const UNCLONEABLE = Symbol('send toBytes() instead');

export class FalconError extends Error {
    constructor(code, message, options) {
        super(message, options);
        this.code = code;
    }
}
Object.defineProperty(FalconError.prototype, 'name', { value: 'FalconError', configurable: true });

const withCode = (error, code) => Object.assign(error, { code });

// Calls the native part. It throws a string: a code, a space, a message.
function call(work) {
    try {
        return work();
    } catch (thrown) {
        if (typeof thrown !== 'string') throw thrown;
        const end = thrown.indexOf(' ');
        const code = thrown.slice(0, end);
        const message = thrown.slice(end + 1);
        throw code === 'ERR_INVALID_ARG_VALUE'
            ? withCode(new RangeError(message), code) : new FalconError(code, message);
    }
}

function refuse(name, expected, value) {
    const kind = value === null ? 'null'
        : typeof value === 'object' ? value.constructor?.name ?? 'an object' : typeof value;
    throw withCode(new TypeError(`${name} must be ${expected}, not ${kind}`),
        'ERR_INVALID_ARG_TYPE');
}

const ARRAYS = Object.getPrototypeOf(Uint8Array.prototype);
const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const getter = (name) => uncurried(Object.getOwnPropertyDescriptor(ARRAYS, name).get);
const [kindOf, bufferOf, offsetOf, lengthOf] =
    [Symbol.toStringTag, 'buffer', 'byteOffset', 'length'].map(getter);
const keysOf = uncurried(ARRAYS.keys);

// Returns another view of the bytes, and reads no property that the caller can define. Accepts
// Buffers and arrays of other frames, too.
function bytes(name, value, expected = 'a Uint8Array') {
    if (kindOf(value) !== 'Uint8Array') refuse(name, expected, value);
    try {
        // A detached array would pass for an empty one.
        keysOf(value);
    } catch {
        refuse(name, `${expected} that is not detached`, value);
    }
    return new Uint8Array(bufferOf(value), offsetOf(value), lengthOf(value));
}

function string(name, value) {
    if (typeof value !== 'string') refuse(name, 'a string', value);
    return value;
}

function oneOf(name, known, value) {
    const number = known.indexOf(string(name, value));
    if (number < 0) {
        const names = known.map((each) => `"${each}"`).join(', ');
        throw withCode(new RangeError(`unknown ${name} "${value}"; known are ${names}`),
            'ERR_INVALID_ARG_VALUE');
    }
    return number;
}

const isLarge = (parameters) => oneOf('parameters', PARAMETERS, parameters) === 1;

// Options that are misspelt, inherited or undefined are refused: a key must not be saved without
// its passphrase.
function options(value, ...known) {
    if (value === null || typeof value !== 'object'
        || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) {
        refuse('options', 'a plain object', value);
    }
    for (const name of Object.keys(value)) oneOf('option', known, name);
    return value;
}

const own = (value, name, missing) => (Object.hasOwn(value, name) ? value[name] : missing);

const formatOf = (value) =>
    oneOf('format', FORMATS, own(options(value, 'format'), 'format', 'padded'));

// Calls `work` with the text as UTF-8, which is wiped afterwards.
function withSecretText(text, work) {
    const encoded = new TextEncoder().encode(text);
    try {
        return call(() => work(encoded));
    } finally {
        encoded.fill(0);
    }
}

function withPassphrase(value, work) {
    const passphrase = own(options(value, 'passphrase'), 'passphrase', INSIDE);
    if (passphrase === INSIDE) return call(() => work(undefined));
    if (typeof passphrase === 'string') return withSecretText(passphrase, work);
    const data = bytes('passphrase', passphrase, 'a string or a Uint8Array');
    return call(() => work(data));
}

// Holds an object of the native part until it is freed.
class Holder {
    // structuredClone and postMessage copy enumerable properties only. Without this one, the copy
    // would be an empty object, and nobody would notice.
    uncloneable = UNCLONEABLE;
    #native;

    constructor(inside, object) {
        if (inside !== INSIDE) {
            throw withCode(new TypeError(`${new.target.name} has no public constructor`),
                'ERR_ILLEGAL_CONSTRUCTOR');
        }
        this.#native = object;
    }

    static native(holder, kind, name) {
        if (!(holder instanceof kind)) refuse(name, `a ${kind.name}`, holder);
        if (holder.#native === undefined) {
            throw new FalconError('ERR_FREED', `the ${kind.name} has been freed`);
        }
        return holder.#native;
    }

    free() {
        const object = this.#native;
        this.#native = undefined;
        object?.free();
    }

    toJSON() {
        throw new FalconError('ERR_JSON', 'store toPem() of the key');
    }

    [Symbol.dispose ?? Symbol('dispose')]() {
        this.free();
    }
}

const nativeOf = Holder.native;

export class SigningKey extends Holder {
    static generate(parameters = 'Falcon-512') {
        const large = isLarge(parameters);
        return new SigningKey(INSIDE, call(() => native.NativeSigningKey.generate(large)));
    }

    static fromSeed(seed, parameters = 'Falcon-512') {
        const large = isLarge(parameters);
        const data = bytes('seed', seed);
        return new SigningKey(INSIDE, call(() => native.NativeSigningKey.from_seed(data, large)));
    }

    static fromReferenceSeed(seed, parameters = 'Falcon-512') {
        const large = isLarge(parameters);
        const data = bytes('seed', seed);
        return new SigningKey(INSIDE,
            call(() => native.NativeSigningKey.from_reference_seed(data, large)));
    }

    static fromBytes(data) {
        const view = bytes('data', data);
        return new SigningKey(INSIDE, call(() => native.NativeSigningKey.from_bytes(view)));
    }

    static fromPem(text, options = {}) {
        string('text', text);
        return new SigningKey(INSIDE, withPassphrase(options, (passphrase) => withSecretText(text,
            (encoded) => native.NativeSigningKey.from_pem(encoded, passphrase))));
    }

    static fromDer(data, options = {}) {
        const view = bytes('data', data);
        return new SigningKey(INSIDE, withPassphrase(options,
            (passphrase) => native.NativeSigningKey.from_der(view, passphrase)));
    }

    toBytes() {
        const key = nativeOf(this, SigningKey, 'this');
        return call(() => key.to_bytes());
    }

    toPem(options = {}) {
        const key = nativeOf(this, SigningKey, 'this');
        return withPassphrase(options, (passphrase) => key.to_pem(passphrase));
    }

    toDer(options = {}) {
        const key = nativeOf(this, SigningKey, 'this');
        return withPassphrase(options, (passphrase) => key.to_der(passphrase));
    }

    get certificatesOnly() {
        return nativeOf(this, SigningKey, 'this').certificates_only();
    }

    get parameters() {
        return this.#public((key) => key.parameters);
    }

    get fingerprint() {
        return this.#public((key) => key.fingerprint);
    }

    get verifyingKey() {
        return new VerifyingKey(INSIDE, nativeOf(this, SigningKey, 'this').verifying_key());
    }

    sign(message, options = {}) {
        nativeOf(this, SigningKey, 'this');
        const data = bytes('message', message);
        const signer = this.signer();
        try {
            return signer.update(data).finalize(options);
        } finally {
            signer.free();
        }
    }

    signer() {
        const key = nativeOf(this, SigningKey, 'this');
        return new Signer(INSIDE, call(() => key.signer()));
    }

    #public(work) {
        const key = this.verifyingKey;
        try {
            return work(key);
        } finally {
            key.free();
        }
    }
}

export class VerifyingKey extends Holder {
    static fromBytes(data) {
        const view = bytes('data', data);
        return new VerifyingKey(INSIDE, call(() => native.NativeVerifyingKey.from_bytes(view)));
    }

    static fromPem(text) {
        string('text', text);
        return new VerifyingKey(INSIDE,
            withSecretText(text, (encoded) => native.NativeVerifyingKey.from_pem(encoded)));
    }

    static fromDer(data) {
        const view = bytes('data', data);
        return new VerifyingKey(INSIDE, call(() => native.NativeVerifyingKey.from_der(view)));
    }

    toBytes() {
        return nativeOf(this, VerifyingKey, 'this').to_bytes();
    }

    toPem() {
        const key = nativeOf(this, VerifyingKey, 'this');
        return call(() => key.to_pem());
    }

    toDer() {
        const key = nativeOf(this, VerifyingKey, 'this');
        return call(() => key.to_der());
    }

    get parameters() {
        return PARAMETERS[Number(nativeOf(this, VerifyingKey, 'this').is_large())];
    }

    get fingerprint() {
        return nativeOf(this, VerifyingKey, 'this').fingerprint();
    }

    equals(other) {
        const key = nativeOf(this, VerifyingKey, 'this');
        return key.equals(nativeOf(other, VerifyingKey, 'other'));
    }

    verify(message, signature, options = {}) {
        nativeOf(this, VerifyingKey, 'this');
        const data = bytes('message', message);
        let verifier;
        try {
            verifier = this.verifier(signature, options);
        } catch (error) {
            if (error.code === 'ERR_MALFORMED_SIGNATURE') return false;
            throw error;
        }
        try {
            return verifier.update(data).finalize();
        } finally {
            verifier.free();
        }
    }

    verifier(signature, options = {}) {
        const data = bytes('signature', signature);
        const format = formatOf(options);
        const key = nativeOf(this, VerifyingKey, 'this');
        return new Verifier(INSIDE, call(() => key.verifier(data, format)));
    }
}

function update(object, piece) {
    const data = bytes('piece', piece);
    call(() => {
        let start = 0;
        do {
            object.update(data.subarray(start, start + PIECE));
            start += PIECE;
        } while (start < data.length);
    });
}

export class Signer extends Holder {
    update(piece) {
        update(nativeOf(this, Signer, 'this'), piece);
        return this;
    }

    finalize(options = {}) {
        const signer = nativeOf(this, Signer, 'this');
        const format = formatOf(options);
        return call(() => signer.finalize(format));
    }
}

export class Verifier extends Holder {
    update(piece) {
        update(nativeOf(this, Verifier, 'this'), piece);
        return this;
    }

    finalize() {
        const verifier = nativeOf(this, Verifier, 'this');
        return call(() => verifier.finalize());
    }
}

export function inspectSignature(signature) {
    const data = bytes('signature', signature);
    const details = call(() => native.inspect(data));
    const { large, format } = details;
    details.free();
    return { parameters: PARAMETERS[Number(large)], format: FORMATS[format] };
}

export function convertSignature(signature, value = {}) {
    const data = bytes('signature', signature);
    options(value, 'from', 'to');
    const formats = ['from', 'to'].map((name) =>
        oneOf('format', FORMATS, own(value, name, 'padded')));
    return call(() => native.convert(data, ...formats));
}
