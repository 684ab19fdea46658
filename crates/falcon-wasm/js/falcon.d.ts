/// <reference lib="esnext.disposable" />

/**
 * Falcon post-quantum signatures: Falcon-512 and Falcon-1024 (round 3, not FN-DSA).
 *
 * ```js
 * import { SigningKey, VerifyingKey } from 'falconsign';
 *
 * const message = new TextEncoder().encode('order #42');
 * const key = SigningKey.generate('Falcon-512');
 * const signature = key.sign(message); // 666 bytes
 *
 * const publicKey = VerifyingKey.fromBytes(key.verifyingKey.toBytes());
 * console.log(publicKey.verify(message, signature)); // true
 * ```
 *
 * @packageDocumentation
 */

/**
 * Name of a parameter set. Falcon-512 has NIST's security level I, Falcon-1024 level V.
 *
 * ```ts
 * const parameters: Parameters = 'Falcon-1024';
 * ```
 */
export type Parameters = 'Falcon-512' | 'Falcon-1024';

/**
 * Format of an encoded signature.
 *
 * - `'padded'`, the default: 666 bytes (Falcon-512) or 1280 (Falcon-1024);
 * - `'compressed'`: shorter, of varying length;
 * - `'ct'`: 809 or 1577 bytes, decoded in constant time.
 *
 * ```ts
 * const format: Format = 'compressed';
 * ```
 */
export type Format = 'padded' | 'compressed' | 'ct';

/**
 * Code of a {@link FalconError}.
 *
 * - `'ERR_MALFORMED_KEY'`: the bytes or the text are not a key;
 * - `'ERR_MALFORMED_SIGNATURE'`: the bytes are not a signature in this format;
 * - `'ERR_PASSPHRASE'`: the passphrase is wrong, missing, empty, or given for a key that is not
 *   encrypted;
 * - `'ERR_KEY_USE'`: the key is for certificates only, and this package signs messages only;
 * - `'ERR_FINISHED'`: a signer or verifier is used after its message has ended;
 * - `'ERR_FREED'`: an object is used after `free()`;
 * - `'ERR_JSON'`: `JSON.stringify` met an object of this package;
 * - `'ERR_LOAD'`: the import of this package failed, since the file of WebAssembly was not found or
 *   the engine refused it;
 * - `'ERR_RANDOM'`: `crypto.getRandomValues` failed or filled nothing;
 * - `'ERR_FAULT'`: a hardware fault was detected, and no key or signature was made. Try again. If
 *   it happens again, do not use this machine for keys.
 *
 * ```ts
 * const code: FalconErrorCode = 'ERR_PASSPHRASE';
 * ```
 */
export type FalconErrorCode =
    | 'ERR_MALFORMED_KEY'
    | 'ERR_MALFORMED_SIGNATURE'
    | 'ERR_PASSPHRASE'
    | 'ERR_KEY_USE'
    | 'ERR_FINISHED'
    | 'ERR_FREED'
    | 'ERR_JSON'
    | 'ERR_LOAD'
    | 'ERR_RANDOM'
    | 'ERR_FAULT';

/**
 * Error of this package. Its `code` says what happened.
 *
 * An argument of a wrong type is a `TypeError` with the code `'ERR_INVALID_ARG_TYPE'` instead. So
 * are an option that is `undefined`, and options that are not a plain object. An unknown name or a
 * seed of a wrong length is a `RangeError` with the code `'ERR_INVALID_ARG_VALUE'`.
 *
 * ```js
 * try {
 *     SigningKey.fromPem(text, { passphrase });
 * } catch (error) {
 *     if (error instanceof FalconError && error.code === 'ERR_PASSPHRASE') askAgain();
 *     else throw error;
 * }
 * ```
 */
export class FalconError extends Error {
    private constructor();
    readonly code: FalconErrorCode;
}

/**
 * Object in the memory of the module. `free()` releases it at once; otherwise the garbage collector
 * does at some time. Both wipe secrets.
 *
 * `structuredClone` and `postMessage` throw a `DataCloneError` for it: the copy would be empty. Send
 * `toBytes()` of a key instead, and call `fromBytes` there.
 */
declare class Holder {
    protected constructor();

    /**
     * Release the object, and wipe it if it is secret. Later calls throw `'ERR_FREED'`.
     *
     * ```js
     * const key = SigningKey.generate();
     * key.free();
     * ```
     */
    free(): void;

    /**
     * Throw `'ERR_JSON'`, so that `JSON.stringify` neither writes a secret nor silently loses a key.
     * Store `toPem()` of the key instead.
     *
     * ```js
     * const text = JSON.stringify({ key: key.toPem({ passphrase }) });
     * ```
     *
     * @throws {FalconError} `'ERR_JSON'`
     */
    toJSON(): never;

    /**
     * The same as `free()`, for `using`.
     *
     * ```js
     * {
     *     using key = SigningKey.generate();
     * } // The key is wiped here.
     * ```
     */
    [Symbol.dispose](): void;
}

/**
 * Signing key: secret, wiped when it is freed.
 *
 * ```js
 * const key = SigningKey.generate('Falcon-1024');
 * const signature = key.sign(message);
 * key.free();
 * ```
 */
export class SigningKey extends Holder {
    private constructor();

    /**
     * Generate a key from random bytes of `crypto.getRandomValues`.
     *
     * ```js
     * const key = SigningKey.generate('Falcon-512');
     * ```
     */
    static generate(parameters?: Parameters): SigningKey;

    /**
     * Generate the key of a secret seed of 32 random bytes. The same seed gives the same key on
     * every platform.
     *
     * ```js
     * const seed = crypto.getRandomValues(new Uint8Array(32));
     * const key = SigningKey.fromSeed(seed, 'Falcon-512');
     * ```
     */
    static fromSeed(seed: Uint8Array, parameters?: Parameters): SigningKey;

    /**
     * Generate the key of the round-3 reference code for a secret seed of 48 bytes. The package
     * `@noble/post-quantum` makes the same key from it.
     *
     * ```js
     * const seed = crypto.getRandomValues(new Uint8Array(48));
     * const key = SigningKey.fromReferenceSeed(seed, 'Falcon-512');
     * ```
     */
    static fromReferenceSeed(seed: Uint8Array, parameters?: Parameters): SigningKey;

    /**
     * Decode a key from its round-3 encoding, 1281 or 2305 bytes.
     *
     * ```js
     * const copy = SigningKey.fromBytes(key.toBytes());
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`
     */
    static fromBytes(data: Uint8Array): SigningKey;

    /**
     * Read a key from a PKCS#8 document in PEM, `PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`. Text of a
     * passphrase is taken as UTF-8.
     *
     * ```js
     * const key = SigningKey.fromPem(text, { passphrase: 'correct horse' });
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`, `'ERR_PASSPHRASE'`
     */
    static fromPem(text: string, options?: { passphrase?: string | Uint8Array }): SigningKey;

    /**
     * Read a key from a PKCS#8 document in DER.
     *
     * ```js
     * const key = SigningKey.fromDer(data, { passphrase: 'correct horse' });
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`, `'ERR_PASSPHRASE'`
     */
    static fromDer(data: Uint8Array, options?: { passphrase?: string | Uint8Array }): SigningKey;

    /**
     * Encode the key, unencrypted. Wipe the bytes after use.
     *
     * ```js
     * const secret = key.toBytes();
     * secret.fill(0);
     * ```
     */
    toBytes(): Uint8Array<ArrayBuffer>;

    /**
     * Write the key as PKCS#8 in PEM, encrypted if there is a passphrase (scrypt, AES-256-CBC). A
     * passphrase that is `undefined` is refused.
     *
     * ```js
     * const text = key.toPem({ passphrase: 'correct horse' });
     * ```
     *
     * @throws {FalconError} `'ERR_PASSPHRASE'` if the passphrase is empty
     */
    toPem(options?: { passphrase?: string | Uint8Array }): string;

    /**
     * Write the key as PKCS#8 in DER, encrypted if there is a passphrase (scrypt, AES-256-CBC). A
     * passphrase that is `undefined` is refused.
     *
     * ```js
     * const data = key.toDer({ passphrase: 'correct horse' });
     * ```
     *
     * @throws {FalconError} `'ERR_PASSPHRASE'` if the passphrase is empty
     */
    toDer(options?: { passphrase?: string | Uint8Array }): Uint8Array<ArrayBuffer>;

    /**
     * Whether the document of the key says that it signs certificates only. Then `sign` and
     * `signer` throw `'ERR_KEY_USE'`. `toPem` and `toDer` write the document as it was read.
     * `falcon-cli keygen --use certificates` makes such a key.
     *
     * ```js
     * SigningKey.generate().certificatesOnly; // false
     * ```
     */
    readonly certificatesOnly: boolean;

    /**
     * Name of the parameter set.
     *
     * ```js
     * SigningKey.generate().parameters; // 'Falcon-512'
     * ```
     */
    readonly parameters: Parameters;

    /**
     * Fingerprint of the verifying key, 64 hexadecimal digits.
     *
     * ```js
     * key.fingerprint === key.verifyingKey.fingerprint; // true
     * ```
     */
    readonly fingerprint: string;

    /**
     * Verifying (public) key. Each read makes a new object.
     *
     * ```js
     * const data = key.verifyingKey.toBytes();
     * ```
     */
    readonly verifyingKey: VerifyingKey;

    /**
     * Sign a message with fresh random bytes. The signature is padded unless `format` says
     * otherwise.
     *
     * ```js
     * const signature = key.sign(message, { format: 'compressed' });
     * ```
     *
     * @throws {FalconError} `'ERR_KEY_USE'` if the key signs certificates only
     */
    sign(message: Uint8Array, options?: { format?: Format }): Uint8Array<ArrayBuffer>;

    /**
     * Start to sign a message that comes in pieces.
     *
     * ```js
     * const signer = key.signer();
     * const reader = file.stream().getReader();
     * for (let part; !(part = await reader.read()).done;) signer.update(part.value);
     * const signature = signer.finalize();
     * ```
     *
     * @throws {FalconError} `'ERR_KEY_USE'` if the key signs certificates only
     */
    signer(): Signer;
}

/**
 * Verifying (public) key.
 *
 * ```js
 * const publicKey = VerifyingKey.fromPem(text);
 * if (!publicKey.verify(message, signature)) throw new Error('forged');
 * ```
 */
export class VerifyingKey extends Holder {
    private constructor();

    /**
     * Decode a key from its encoding, 897 or 1793 bytes.
     *
     * ```js
     * const copy = VerifyingKey.fromBytes(publicKey.toBytes());
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`
     */
    static fromBytes(data: Uint8Array): VerifyingKey;

    /**
     * Read a key from a SubjectPublicKeyInfo document in PEM, `PUBLIC KEY`.
     *
     * ```js
     * const publicKey = VerifyingKey.fromPem(await file.text());
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`
     */
    static fromPem(text: string): VerifyingKey;

    /**
     * Read a key from a SubjectPublicKeyInfo document in DER.
     *
     * ```js
     * const copy = VerifyingKey.fromDer(publicKey.toDer());
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_KEY'`
     */
    static fromDer(data: Uint8Array): VerifyingKey;

    /**
     * Encode the key in 897 or 1793 bytes.
     *
     * ```js
     * const data = publicKey.toBytes();
     * ```
     */
    toBytes(): Uint8Array<ArrayBuffer>;

    /**
     * Write the key as a SubjectPublicKeyInfo document in PEM.
     *
     * ```js
     * const text = publicKey.toPem();
     * ```
     */
    toPem(): string;

    /**
     * Write the key as a SubjectPublicKeyInfo document in DER.
     *
     * ```js
     * const data = publicKey.toDer();
     * ```
     */
    toDer(): Uint8Array<ArrayBuffer>;

    /**
     * Name of the parameter set.
     *
     * ```js
     * if (publicKey.parameters !== 'Falcon-1024') throw new Error('too weak for us');
     * ```
     */
    readonly parameters: Parameters;

    /**
     * Fingerprint: the first 32 bytes of SHAKE256 of the encoded key, as 64 hexadecimal digits.
     *
     * ```js
     * console.log(publicKey.fingerprint);
     * ```
     */
    readonly fingerprint: string;

    /**
     * Tell whether both keys have the same encoding.
     *
     * ```js
     * publicKey.equals(VerifyingKey.fromBytes(publicKey.toBytes())); // true
     * ```
     */
    equals(other: VerifyingKey): boolean;

    /**
     * Tell whether this key's owner signed this message.
     *
     * Returns `false` for every signature that is not valid, also a malformed one, as WebCrypto
     * does. {@link inspectSignature} says what is wrong with a malformed one. Only one format is
     * accepted, `'padded'` unless `format` says otherwise.
     *
     * ```js
     * const valid = publicKey.verify(message, signature, { format: 'compressed' });
     * ```
     */
    verify(message: Uint8Array, signature: Uint8Array, options?: { format?: Format }): boolean;

    /**
     * Start to verify a signature of a message that comes in pieces.
     *
     * ```js
     * const verifier = publicKey.verifier(signature);
     * const reader = file.stream().getReader();
     * for (let part; !(part = await reader.read()).done;) verifier.update(part.value);
     * const valid = verifier.finalize();
     * ```
     *
     * @throws {FalconError} `'ERR_MALFORMED_SIGNATURE'` at once, before the message is read
     */
    verifier(signature: Uint8Array, options?: { format?: Format }): Verifier;
}

/**
 * Signer of a message that comes in pieces. It takes constant memory, and can be used for one
 * signature only.
 *
 * ```js
 * const signature = key.signer().update(head).update(body).finalize();
 * ```
 */
export class Signer extends Holder {
    private constructor();

    /**
     * Absorb the next piece of the message.
     *
     * ```js
     * signer.update(new TextEncoder().encode('order '));
     * ```
     *
     * @throws {FalconError} `'ERR_FINISHED'`
     */
    update(piece: Uint8Array): this;

    /**
     * Sign the absorbed message.
     *
     * ```js
     * const signature = signer.finalize({ format: 'padded' });
     * ```
     *
     * @throws {FalconError} `'ERR_FINISHED'`
     */
    finalize(options?: { format?: Format }): Uint8Array<ArrayBuffer>;
}

/**
 * Verifier of a message that comes in pieces. It takes constant memory, and can be used for one
 * verification only.
 *
 * ```js
 * const valid = publicKey.verifier(signature).update(head).update(body).finalize();
 * ```
 */
export class Verifier extends Holder {
    private constructor();

    /**
     * Absorb the next piece of the message.
     *
     * ```js
     * verifier.update(new TextEncoder().encode('order '));
     * ```
     *
     * @throws {FalconError} `'ERR_FINISHED'`
     */
    update(piece: Uint8Array): this;

    /**
     * Tell whether the signature is valid for the absorbed message.
     *
     * ```js
     * if (!verifier.finalize()) throw new Error('forged');
     * ```
     *
     * @throws {FalconError} `'ERR_FINISHED'`
     */
    finalize(): boolean;
}

/**
 * Tell the parameter set and the format of a signature.
 *
 * ```js
 * inspectSignature(signature); // { parameters: 'Falcon-512', format: 'padded' }
 * ```
 *
 * @throws {FalconError} `'ERR_MALFORMED_SIGNATURE'`; the message says what is wrong
 */
export function inspectSignature(signature: Uint8Array): {
    parameters: Parameters;
    format: Format;
};

/**
 * Encode a signature in another format. The default of both formats is `'padded'`.
 *
 * ```js
 * const short = convertSignature(signature, { to: 'compressed' });
 * ```
 *
 * @throws {FalconError} `'ERR_MALFORMED_SIGNATURE'` if it is not one in the format `from`
 */
export function convertSignature(
    signature: Uint8Array,
    options?: { from?: Format; to?: Format },
): Uint8Array<ArrayBuffer>;

// Nothing else is exported.
export {};
