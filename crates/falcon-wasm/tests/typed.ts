// Compiled by check.sh with --strict, never run: the declarations have these types, and refuse what
// is marked.
import {
    FalconError, convertSignature, inspectSignature, Signer, SigningKey, Verifier, VerifyingKey,
    type FalconErrorCode, type Format, type Parameters,
} from 'falconsign';
import * as inline from 'falconsign/inline';

const message = new TextEncoder().encode('order #42');
const key: SigningKey = SigningKey.generate();
const parameters: Parameters = key.parameters;
const certificatesOnly: boolean = key.certificatesOnly;
const format: Format = 'ct';
const signature: Uint8Array = key.sign(message, { format });
const publicKey: VerifyingKey = key.verifyingKey;
const valid: boolean = publicKey.verify(message, signature, { format });
const same: boolean = publicKey.equals(VerifyingKey.fromDer(publicKey.toDer()));
const signer: Signer = key.signer().update(message);
const verifier: Verifier = publicKey.verifier(signer.finalize());
const streamed: boolean = verifier.update(message).finalize();
const details: { parameters: Parameters; format: Format } = inspectSignature(signature);
const short: Uint8Array = convertSignature(signature, { from: 'ct', to: 'compressed' });
// Bytes that Blob and fetch take.
const blob = new Blob([key.toBytes(), key.toDer({ passphrase: message }), short as BlobPart]);
const text: string = key.toPem({ passphrase: 'secret' });
export const used = [parameters, certificatesOnly, valid, same, streamed, details, blob, text];

export function withUsing(seed: Uint8Array): string {
    using read = SigningKey.fromSeed(seed, 'Falcon-1024');
    return read.fingerprint;
}

export function codeOf(error: unknown): FalconErrorCode | undefined {
    return error instanceof FalconError ? error.code : undefined;
}

// Both entries have the same types.
export const entry: typeof import('falconsign') = inline;
export const other: VerifyingKey = inline.SigningKey.generate().verifyingKey;
// Nothing runs after it.
export const never: () => never = () => key.toJSON();

// @ts-expect-error: text is no message
key.sign('order #42');
// @ts-expect-error: not a format
key.sign(message, { format: 'short' });
// @ts-expect-error: not an option
key.toPem({ password: 'secret' });
// @ts-expect-error: not a parameter set
SigningKey.generate('Falcon-256');
// @ts-expect-error: no public constructor
new SigningKey();
// @ts-expect-error: no public constructor
new FalconError();
// @ts-expect-error: a verifying key cannot sign
publicKey.sign(message);
// @ts-expect-error: read only
key.fingerprint = '';
// @ts-expect-error: keys of two kinds
publicKey.equals(key);
