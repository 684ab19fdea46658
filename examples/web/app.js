// The page: makes and opens a key, signs a file, verifies a file. Files are read in pieces.
import { SigningKey, VerifyingKey, inspectSignature } from 'falconsign';

const KEY_NAME = 'falcon.key';
// A length in bytes. Every key document and every signature is shorter.
const SMALL_FILE = 20_000;
const ROLES = {
    message: 'the file', signature: 'the signature', public: 'the verifying key',
};
const byId = (id) => document.getElementById(id);

// The open key, and whether it would be lost with the page.
let key;
let saved = true;
// A saved key that waits for its passphrase.
let locked;
// The signer that is working.
let signer;
let signature;
// Addresses of the files that were given to the browser for saving.
const addresses = new Set();
const chosen = {};
// Name of the previously chosen verifying key.
let replaced;
// Number of the last job of each kind. An older job that ends later shows nothing.
const jobs = { open: 0, sign: 0, verify: 0 };

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

// Shows a file name on a line of its own, so that it cannot change the order of other text.
function named(name) {
    const element = document.createElement('bdi');
    element.textContent = `"${name.replace(/[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}]/gu, '\ufffd')}"`;
    return element;
}

function save(name, data) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
    link.download = name;
    link.click();
    addresses.add(link.href);
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
            if (piece.done) {
                if (done !== file.size) throw new Error('it changed while it was read');
                return true;
            }
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

function readable(files, isFolder) {
    if (isFolder) throw new Error('folders are not read; drop files');
    if (files.length > 1) throw new Error('drop one file');
}

// The key.

function setKey(next) {
    signer?.free();
    key?.free();
    key = next;
    locked?.data.fill(0);
    signer = signature = locked = undefined;
    addresses.forEach((address) => URL.revokeObjectURL(address));
    addresses.clear();
    jobs.open += 1;
    jobs.sign += 1;
    byId('without-key').hidden = Boolean(key);
    byId('with-key').hidden = !key;
    byId('sign-drop').hidden = !key;
    byId('sign-needs-key').hidden = Boolean(key);
    byId('sign-result').hidden = true;
    byId('sign-progress').hidden = true;
    byId('open-locked').hidden = true;
    for (const id of ['open-file', 'open-passphrase', 'passphrase', 'repeated', 'sign-file']) {
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
            note('key-note', 'bad', 'Not a signing key', error.message, named(name));
            return;
        }
        locked = { data, name };
        byId('open-name').replaceChildren(named(name));
        byId('open-locked').hidden = false;
        byId('open-passphrase').focus();
        if (options) note('key-note', 'bad', 'The key stays locked', error.message);
        else note('key-note', '', '', 'This key is encrypted. Enter its passphrase.');
    } finally {
        if (locked?.data !== data) data.fill(0);
    }
}

async function openFile(files, isFolder) {
    const job = jobs.open += 1;
    const [{ name }] = files;
    clear('key-note');
    try {
        readable(files, isFolder);
        const data = await small(files[0]);
        if (jobs.open === job) open(data, name);
        else data.fill(0);
    } catch (error) {
        if (jobs.open === job) {
            note('key-note', 'bad', 'Not a signing key', error.message, named(name));
        }
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
    if (passphrase !== byId('repeated').value) {
        note('key-note', 'bad', 'The key is not saved', 'The two passphrases differ.');
        byId('repeated').focus();
        return;
    }
    try {
        save(KEY_NAME, key.toPem(passphrase ? { passphrase } : {}));
    } catch (error) {
        note('key-note', 'bad', 'The key is not saved', error.message);
        return;
    }
    saved = true;
    byId('passphrase').value = byId('repeated').value = '';
    byId('no-passphrase').checked = false;
    note('key-note', 'good', '', `Handed to the browser as ${KEY_NAME}, ${passphrase
        ? 'encrypted with your passphrase' : 'not encrypted'}. Check that the file is there. `
        + 'It is secret.');
});

byId('save-public').addEventListener('click', () => {
    save(`${KEY_NAME}.pub`, key.verifyingKey.toPem());
    note('key-note', 'good', '', `Handed to the browser as ${KEY_NAME}.pub. It is public.`);
});

byId('forget').addEventListener('click', () => {
    if (!window.confirm(saved ? 'Forget the key? Only its file can bring it back.'
        : 'The key has not been saved. Forget it for ever?')) return;
    setKey(undefined);
    saved = true;
    note('key-note', '', '', 'The key is wiped from the memory of WebAssembly. Copies that the '
        + 'browser made may remain.');
});

window.addEventListener('beforeunload', (event) => {
    if (!saved) event.preventDefault();
});
window.addEventListener('pagehide', () => setKey(undefined));

// Signing.

async function signFile(files, isFolder) {
    const job = jobs.sign += 1;
    const [file] = files;
    byId('sign-result').hidden = true;
    byId('sign-progress').hidden = true;
    clear('sign-note');
    signer?.free();
    try {
        readable(files, isFolder);
        signer = key.signer();
        if (!await feed(file, signer, 'sign', job) || jobs.sign !== job) return;
        signature = { name: `${file.name}.sig`, data: signer.finalize() };
        byId('sign-result').hidden = false;
        note('sign-note', 'good', 'Signed', `${size(file.size)}. The signature has `
            + `${signature.data.length} bytes. Send it along with the file.`, named(file.name));
    } catch (error) {
        if (jobs.sign === job) {
            note('sign-note', 'bad', 'Not signed', error.message, named(file.name));
        }
    } finally {
        if (jobs.sign === job) signer?.free();
    }
}

byId('save-signature').addEventListener('click', () => save(signature.name, signature.data));

// Verifying.

const decodePublic = (data) => {
    const text = new TextDecoder().decode(data);
    return text.startsWith('-----') ? VerifyingKey.fromPem(text) : VerifyingKey.fromBytes(data);
};

// Finds the role of a file that was dropped outside of the fields.
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
    if (role === 'public') replaced = chosen.public?.name;
    chosen[role] = file;
    const place = byId(`${role}-name`);
    place.replaceChildren(named(file.name), size(file.size));
    place.classList.add('set');
}

async function small(file) {
    if (file.size > SMALL_FILE) throw new Error(`${size(file.size)} is too long`);
    return new Uint8Array(await file.arrayBuffer());
}

async function verify(job) {
    const missing = Object.keys(ROLES).filter((role) => !chosen[role]).map((role) => ROLES[role]);
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
    const names = ['File:', named(message.name), 'Signature:', named(file.name), 'Verifying key:',
        named(keyFile.name)];
    if (replaced) names.push('This key replaced the one chosen before:', named(replaced));
    let stage = ['The verifying key cannot be read', keyFile.name];
    try {
        publicKey = decodePublic(await small(keyFile));
        stage = ['The signature is damaged', file.name];
        const data = await small(file);
        const { parameters, format } = inspectSignature(data);
        if (parameters !== publicKey.parameters) {
            say('bad', 'Not valid', `The signature is one of ${parameters}, the key one of `
                + `${publicKey.parameters}. This key did not make this signature.`, ...names);
            return;
        }
        verifier = publicKey.verifier(data, { format });
        stage = ['The file cannot be read', message.name];
        say('', '', 'Verifying', named(message.name));
        if (!await feed(message, verifier, 'verify', job)) return;
        if (verifier.finalize()) {
            say('good', 'Valid', 'The owner of the key with this fingerprint signed the file:',
                code(publicKey.fingerprint), ...names);
        } else {
            say('bad', 'Not valid', 'The owner of this key did not sign the file as it is. The '
                + 'file or the signature was changed, or the key is another one.', ...names);
        }
    } catch (error) {
        say('bad', stage[0], error.message, named(stage[1]));
    } finally {
        verifier?.free();
        publicKey?.free();
    }
}

// Dropped files are handled in order. The files are verified when none waits and each was accepted.
let waiting = 0;
let refused = [];
let last = Promise.resolve();

function take(files, isFolder, role) {
    // From here on, neither an old verdict nor the verdict of a running job is shown.
    const job = jobs.verify += 1;
    byId('verify-progress').hidden = true;
    clear('verdict');
    waiting += 1;
    last = last.then(async () => {
        try {
            if (isFolder) readable(files, isFolder);
            const roles = await Promise.all(files.map((file) => role ?? roleOf(file)));
            const twice = roles.find((each, i) => roles.indexOf(each) < i);
            if (twice) throw new Error(`more than one file looks like ${ROLES[twice]}; drop one`);
            roles.forEach((each, i) => choose(each, files[i]));
        } catch (error) {
            refused.push(error.message, ...files.map(({ name }) => named(name)));
        }
        waiting -= 1;
        if (waiting > 0) return;
        if (refused.length > 0) note('verdict', 'bad', 'Nothing was verified', ...refused);
        else verify(job);
        refused = [];
    });
}

// Dropped and chosen files.

function target(place, input, take) {
    if (input) {
        input.addEventListener('change', () => {
            if (input.files.length > 0) take([...input.files]);
            // Resets the field, so that the same file can be chosen again after a change.
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
        const { files, items } = event.dataTransfer;
        const isFolder = [...items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
        if (files.length > 0) take([...files], isFolder);
    });
}

target(byId('open-drop'), byId('open-file'), openFile);
target(byId('sign-drop'), byId('sign-file'), signFile);
for (const role of Object.keys(ROLES)) {
    target(byId(`${role}-drop`), byId(`${role}-file`), (files, isFolder) =>
        take(files, isFolder, files.length === 1 ? role : undefined));
}
target(byId('verify-section'), undefined, take);
// A file that is dropped outside of its field must not replace the page.
for (const type of ['dragover', 'drop']) {
    window.addEventListener(type, (event) => event.preventDefault());
}

byId('loading').hidden = true;
byId('main').hidden = false;
