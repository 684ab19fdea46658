// The page: makes and opens a key, signs a file, verifies a file. Files are read in pieces.
import { SigningKey, VerifyingKey, inspectSignature } from 'falcon-sign';

const KEY_NAME = 'falcon.key';
// No key in a document is as long, and no signature.
const SMALL_FILE = 20_000;
const byId = (id) => document.getElementById(id);

// The open key, and whether it would be lost with the page.
let key;
let saved = true;
// A saved key that waits for its passphrase.
let locked;
let signature;
const chosen = { message: undefined, signature: undefined, public: undefined };
// Number of the last job of each kind: an older one that ends later shows nothing.
const jobs = { sign: 0, verify: 0 };

function note(id, kind, title, ...content) {
    const place = byId(id);
    place.className = `note ${kind}`;
    place.replaceChildren();
    if (title) {
        const strong = document.createElement('b');
        strong.textContent = title;
        place.append(strong);
    }
    place.append(...content);
}

const clear = (id) => note(id, '', '');

function code(text) {
    const element = document.createElement('code');
    element.textContent = text;
    return element;
}

function save(name, data) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function size(bytes) {
    for (const [unit, length] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]]) {
        if (bytes >= length) return `${(bytes / length).toPrecision(3)} ${unit}`;
    }
    return `${bytes} bytes`;
}

// Feeds a file to a signer or verifier. Returns false if another job has begun.
async function feed(file, sink, kind, job) {
    const progress = byId(`${kind}-progress`);
    const reader = file.stream().getReader();
    let done = 0;
    try {
        for (;;) {
            const piece = await reader.read();
            if (jobs[kind] !== job) return false;
            if (piece.done) return true;
            sink.update(piece.value);
            done += piece.value.length;
            progress.hidden = file.size < 1e7;
            progress.value = done / file.size;
        }
    } finally {
        reader.cancel().catch(() => {});
        if (jobs[kind] === job) progress.hidden = true;
    }
}

// The key.

function setKey(next) {
    key?.free();
    key = next;
    signature = undefined;
    locked = undefined;
    jobs.sign += 1;
    byId('without-key').hidden = Boolean(key);
    byId('with-key').hidden = !key;
    byId('sign-drop').hidden = !key;
    byId('sign-needs-key').hidden = Boolean(key);
    byId('sign-result').hidden = true;
    byId('sign-progress').hidden = true;
    byId('open-locked').hidden = true;
    for (const id of ['open-file', 'open-passphrase', 'passphrase', 'sign-file']) {
        byId(id).value = '';
    }
    byId('no-passphrase').checked = false;
    for (const id of ['key-note', 'sign-note']) clear(id);
    if (key) {
        byId('key-parameters').textContent = key.parameters;
        byId('fingerprint').textContent = key.fingerprint;
    }
}

byId('make').addEventListener('click', () => {
    try {
        setKey(SigningKey.generate(byId('parameters').value));
        saved = false;
        note('key-note', '', '',
            'The key is only in this page. Save it if you want to use it again.');
    } catch (error) {
        note('key-note', 'bad', 'No key was made', error.message);
    }
});

function open(data, name, options) {
    const text = new TextDecoder().decode(data);
    try {
        setKey(text.startsWith('-----') ? SigningKey.fromPem(text, options)
            : SigningKey.fromBytes(data));
        saved = true;
    } catch (error) {
        if (error.code !== 'ERR_PASSPHRASE') {
            note('key-note', 'bad', 'Not a signing key', `${name}: ${error.message}`);
            return;
        }
        locked = { data, name };
        byId('open-name').textContent = name;
        byId('open-locked').hidden = false;
        byId('open-passphrase').focus();
        if (options) note('key-note', 'bad', 'The key stays locked', error.message);
        else note('key-note', '', '', 'This key is encrypted. Enter its passphrase.');
    }
}

async function openFile(file) {
    clear('key-note');
    try {
        if (file.size > SMALL_FILE) throw new Error('the file is too long for a key');
        open(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch (error) {
        note('key-note', 'bad', 'Not a signing key', `${file.name}: ${error.message}`);
    }
}

function unlock() {
    if (locked) open(locked.data, locked.name, { passphrase: byId('open-passphrase').value });
}

byId('open').addEventListener('click', unlock);
byId('open-passphrase').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') unlock();
});

byId('save-key').addEventListener('click', () => {
    const passphrase = byId('passphrase').value;
    if (!passphrase && !byId('no-passphrase').checked) {
        note('key-note', 'bad', 'The key is not saved',
            'Enter a passphrase, or tick that you want none.');
        byId('passphrase').focus();
        return;
    }
    save(KEY_NAME, key.toPem(passphrase ? { passphrase } : {}));
    saved = true;
    byId('passphrase').value = '';
    note('key-note', 'good', '', `Saved as ${KEY_NAME}, ${passphrase
        ? 'encrypted with your passphrase' : 'not encrypted'}. This file is secret.`);
});

byId('save-public').addEventListener('click', () => {
    save(`${KEY_NAME}.pub`, key.verifyingKey.toPem());
    note('key-note', 'good', '', `Saved as ${KEY_NAME}.pub. This file is public.`);
});

byId('forget').addEventListener('click', () => {
    if (!saved && !window.confirm('The key has not been saved. Forget it for ever?')) return;
    setKey(undefined);
    saved = true;
    note('key-note', '', '', 'The key is wiped from the memory of this page.');
});

window.addEventListener('beforeunload', (event) => {
    if (!saved) event.preventDefault();
});
window.addEventListener('pagehide', () => setKey(undefined));

// Signing.

async function signFile(file) {
    const job = jobs.sign += 1;
    const name = file.name;
    byId('sign-result').hidden = true;
    clear('sign-note');
    const signer = key.signer();
    try {
        if (!await feed(file, signer, 'sign', job)) return;
        signature = { name: `${name}.sig`, data: signer.finalize() };
        byId('sign-result').hidden = false;
        note('sign-note', 'good', 'Signed', `${name} (${size(file.size)}). The signature has `
            + `${signature.data.length} bytes. Send it along with the file.`);
    } catch (error) {
        if (jobs.sign === job) note('sign-note', 'bad', 'Not signed', `${name}: ${error.message}`);
    } finally {
        signer.free();
    }
}

byId('save-signature').addEventListener('click', () => save(signature.name, signature.data));

// Verifying.

const decodePublic = (data) => {
    const text = new TextDecoder().decode(data);
    return text.startsWith('-----') ? VerifyingKey.fromPem(text) : VerifyingKey.fromBytes(data);
};

// The role of a file that was dropped on no field of its own.
async function roleOf(file) {
    if (file.size > SMALL_FILE) return 'message';
    const data = new Uint8Array(await file.arrayBuffer());
    const isRead = (read) => {
        try {
            read(data);
            return true;
        } catch {
            return false;
        }
    };
    const isPublic = (bytes) => decodePublic(bytes).free();
    if (file.name.endsWith('.sig') || isRead(inspectSignature)) return 'signature';
    if (file.name.endsWith('.pub') || isRead(isPublic)) return 'public';
    return 'message';
}

function choose(role, file) {
    chosen[role] = file;
    const place = byId(`${role}-name`);
    place.textContent = file ? `${file.name} (${size(file.size)})` : 'none';
    place.classList.toggle('set', Boolean(file));
}

async function small(file) {
    if (file.size > SMALL_FILE) throw new Error(`${size(file.size)} is too long`);
    return new Uint8Array(await file.arrayBuffer());
}

async function verify() {
    const job = jobs.verify += 1;
    byId('verify-progress').hidden = true;
    clear('verdict');
    const missing = [['message', 'the file'], ['signature', 'the signature'],
        ['public', 'the verifying key']].filter(([role]) => !chosen[role]).map(([, name]) => name);
    if (missing.length === 3) return;
    if (missing.length > 0) {
        note('verdict', '', '', `Missing: ${missing.join(' and ')}.`);
        return;
    }
    const say = (...words) => {
        if (jobs.verify === job) note('verdict', ...words);
    };
    const { message, signature: file, public: keyFile } = chosen;
    let publicKey;
    let verifier;
    let stage = ['The verifying key cannot be read', keyFile.name];
    try {
        publicKey = decodePublic(await small(keyFile));
        stage = ['The signature is damaged', file.name];
        const data = await small(file);
        const { parameters, format } = inspectSignature(data);
        if (parameters !== publicKey.parameters) {
            say('bad', 'Not valid', `The signature is one of ${parameters}, the key one of `
                + `${publicKey.parameters}. This key did not make this signature.`);
            return;
        }
        verifier = publicKey.verifier(data, { format });
        stage = ['The file cannot be read', message.name];
        say('', '', `Verifying ${message.name}.`);
        if (!await feed(message, verifier, 'verify', job)) return;
        if (verifier.finalize()) {
            say('good', 'Valid', `The owner of this key signed ${message.name}. Its fingerprint:`,
                code(publicKey.fingerprint));
        } else {
            say('bad', 'Not valid', `The owner of this key did not sign ${message.name} as it is. `
                + 'The file or the signature was changed, or the key is another one.');
        }
    } catch (error) {
        say('bad', stage[0], `${stage[1]}: ${error.message}`);
    } finally {
        verifier?.free();
        publicKey?.free();
    }
}

async function sort(files) {
    const roles = await Promise.all(files.map(roleOf));
    files.forEach((file, i) => choose(roles[i], file));
    await verify();
}

function chooseOne(role) {
    return async ([file]) => {
        choose(role, file);
        await verify();
    };
}

// Dropped and chosen files.

function target(place, input, take) {
    if (input) {
        input.addEventListener('change', () => {
            if (input.files.length > 0) take([...input.files]);
            // The same file can be chosen again after it has changed.
            input.value = '';
        });
    }
    place.addEventListener('dragover', (event) => {
        event.preventDefault();
        event.stopPropagation();
        place.classList.add('over');
    });
    place.addEventListener('dragleave', () => place.classList.remove('over'));
    place.addEventListener('drop', (event) => {
        event.preventDefault();
        event.stopPropagation();
        place.classList.remove('over');
        const files = [...event.dataTransfer.files];
        if (files.length > 0) take(files);
    });
}

target(byId('open-drop'), byId('open-file'), ([file]) => openFile(file));
target(byId('sign-drop'), byId('sign-file'), ([file]) => signFile(file));
for (const role of Object.keys(chosen)) {
    target(byId(`${role}-drop`), byId(`${role}-file`), (files) =>
        (files.length === 1 ? chooseOne(role)(files) : sort(files)));
}
target(byId('verify-section'), undefined, sort);
// A file that misses its place must not replace the page.
for (const type of ['dragover', 'drop']) {
    window.addEventListener(type, (event) => event.preventDefault());
}

byId('loading').hidden = true;
byId('main').hidden = false;
