// Drops files onto the page of examples/web in headless Chromium: served by a static server, and
// opened as one file from the disk. FALCON_SCREENSHOTS names a folder for screenshots.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { SigningKey, VerifyingKey } from '../../pkg/inline.js';
import { text } from '../common.mjs';

const SITE = fileURLToPath(new URL('../../../../examples/web/site/', import.meta.url));
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
const screenshots = process.env.FALCON_SCREENSHOTS;
const folder = mkdtempSync(join(tmpdir(), 'falcon-page-'));
const MESSAGE = text('order #42\n');
const file = (name, data) => ({ name, data: [...data] });

let browser;
let server;
before(async () => {
    server = createServer((request, response) => {
        const name = request.url === '/' ? 'index.html' : request.url.slice(1);
        const type = TYPES[name.split('.').pop()];
        createReadStream(join(SITE, name))
            .on('open', () => response.setHeader('content-type', type))
            .on('error', () => response.writeHead(404).end())
            .pipe(response);
    });
    await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        // Containers often run as root, and then Chromium's sandbox does not start.
        args: ['--no-sandbox'],
    });
});
after(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true });
});

// Drops files onto an element, as a file manager does.
async function drop(page, selector, ...files) {
    const transfer = await page.evaluateHandle((list) => {
        const data = new DataTransfer();
        for (const { name, data: bytes } of list) {
            data.items.add(new File([new Uint8Array(bytes)], name));
        }
        return data;
    }, files);
    for (const type of ['dragenter', 'dragover', 'drop']) {
        await page.dispatchEvent(selector, type, { dataTransfer: transfer });
    }
}

async function download(page, button) {
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
    const path = join(folder, `${Math.random()}`);
    await saved.saveAs(path);
    return { name: saved.suggestedFilename(), data: new Uint8Array(readFileSync(path)) };
}

// Waits until the text of a note begins as expected.
async function says(page, selector, start) {
    const place = page.locator(selector);
    await page.waitForFunction(([css, words]) =>
        document.querySelector(css).textContent.startsWith(words), [selector, start])
        .catch(async () => assert.fail(`"${await place.textContent()}", not "${start}"`));
    return place.textContent();
}

// Empties the verdict, so that it is not mistaken for the next one.
const forget = (page) => page.evaluate(() => document.querySelector('#verdict').replaceChildren());

async function shoot(page, name) {
    if (screenshots) await page.screenshot({ path: join(screenshots, name), fullPage: true });
}

// Loads `address`, and then takes the network away.
async function opened(address, options = {}) {
    const context = await browser.newContext({ acceptDownloads: true, ...options });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on('dialog', (dialog) => dialog.accept());
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) trouble.push(message.text());
    });
    await page.goto(address);
    await page.waitForSelector('#main:not([hidden])')
        .catch((error) => assert.fail(`${error.message} ${trouble.join('; ')}`));
    // From here on, nothing comes from a server.
    await context.setOffline(true);
    page.on('request', (request) => {
        if (!request.url().startsWith('blob:')) trouble.push(`request of ${request.url()}`);
    });
    return { page, trouble, close: () => context.close() };
}

const ADDRESSES = {
    'served by a static server': () => `http://127.0.0.1:${server.address().port}/`,
    'opened from the disk': () => pathToFileURL(join(SITE, 'falcon.html')).href,
};

for (const [how, address] of Object.entries(ADDRESSES)) {
    for (const parameters of ['Falcon-512', 'Falcon-1024']) {
        test(`${parameters}, ${how}`, async () => {
            const { page, trouble, close } = await opened(address());
            await page.selectOption('#parameters', parameters);
            await page.click('#make');
            await says(page, '#key-note', 'The key is only in this page');
            const fingerprint = await page.textContent('#fingerprint');

            // Without a passphrase, the page saves the key only on request.
            await page.click('#save-key');
            await says(page, '#key-note', 'The key is not saved');
            await page.fill('#passphrase', 'correct horse');
            await page.fill('#repeated', 'correct house');
            await page.click('#save-key');
            await says(page, '#key-note', 'The key is not savedThe two passphrases differ');
            await page.fill('#repeated', 'correct horse');
            await page.check('#no-passphrase');
            const saved = await download(page, '#save-key');
            assert.equal(saved.name, 'falcon.key');
            await says(page, '#key-note', 'Handed to the browser as falcon.key, encrypted');
            assert.equal(await page.isChecked('#no-passphrase'), false);
            const key = SigningKey.fromPem(new TextDecoder().decode(saved.data),
                { passphrase: 'correct horse' });
            assert.equal(key.fingerprint, fingerprint);
            assert.equal(key.parameters, parameters);
            const published = await download(page, '#save-public');
            assert.equal(published.name, 'falcon.key.pub');
            const publicKey = VerifyingKey.fromPem(new TextDecoder().decode(published.data));
            assert.equal(publicKey.fingerprint, fingerprint);

            await drop(page, '#sign-drop', file('order.txt', MESSAGE));
            await says(page, '#sign-note', 'Signed');
            const signed = await download(page, '#save-signature');
            assert.equal(signed.name, 'order.txt.sig');
            assert.equal(publicKey.verify(MESSAGE, signed.data), true);

            const message = file('order.txt', MESSAGE);
            const signature = file(signed.name, signed.data);
            const publicFile = file(published.name, published.data);
            const verdict = async (start, ...files) => {
                await forget(page);
                await drop(page, '#verify-section', ...files);
                return says(page, '#verdict', start);
            };
            await verdict('Missing: the signature and the verifying key.', message);
            await verdict('Missing: the verifying key.', signature);
            assert.equal(await verdict('Valid', publicFile),
                `ValidThe owner of the key with this fingerprint signed the file:${fingerprint}`
                + 'File:"order.txt"Signature:"order.txt.sig"Verifying key:"falcon.key.pub"');
            if (how.startsWith('served')) await shoot(page, `${parameters}-valid.png`);

            await verdict('Not valid', file('order.txt', text('order #43\n')));
            if (how.startsWith('served')) await shoot(page, `${parameters}-forged.png`);
            await verdict('Valid', message);
            const other = SigningKey.generate(parameters).verifyingKey;
            assert.match(await verdict('Not valid', file('other.pub', text(other.toPem()))),
                /"other.pub"This key replaced the one chosen before:"falcon.key.pub"$/);
            const larger = SigningKey.generate(
                parameters === 'Falcon-512' ? 'Falcon-1024' : 'Falcon-512').verifyingKey;
            await verdict('Not valid', file('other.pub', text(larger.toPem())));
            await verdict('Valid', publicFile);
            assert.match(await verdict('The signature is damaged',
                file(signed.name, signed.data.subarray(0, 600))), /truncated/);
            await verdict('Valid', signature);
            const flipped = signed.data.slice();
            flipped[20] ^= 1;
            await verdict('Not valid', file(signed.name, flipped));
            // All at once, in any order.
            await verdict('Valid', publicFile, signature, message);
            // The page detects the format of a signature, and accepts a key as raw bytes.
            const short = key.sign(MESSAGE, { format: 'compressed' });
            await verdict('Valid', file('short', short), file('bare', publicKey.toBytes()));
            await verdict('The verifying key cannot be read', file('broken.pub', text('-----')));
            // A signing key is no verifying key.
            await forget(page);
            await drop(page, '#public-drop', file(saved.name, saved.data));
            await says(page, '#verdict', 'The verifying key cannot be read');
            // A file on a field has the role of that field, whatever the file looks like.
            await drop(page, '#public-drop', publicFile);
            await drop(page, '#message-drop', publicFile);
            await says(page, '#verdict', 'Not valid');
            await forget(page);
            await drop(page, '#signature-drop',
                file('of-the-key.sig', key.sign(published.data)));
            await says(page, '#verdict', 'Valid');

            // The saved key opens with its passphrase only.
            await page.click('#forget');
            await says(page, '#key-note', 'The key is wiped from the memory of WebAssembly');
            assert.equal(await page.isVisible('#sign-drop'), false);
            await drop(page, '#open-drop', file(saved.name, saved.data));
            await says(page, '#key-note', 'This key is encrypted');
            await page.fill('#open-passphrase', 'wrong horse');
            await page.click('#open');
            await says(page, '#key-note', 'The key stays locked');
            await page.fill('#open-passphrase', 'correct horse');
            await page.press('#open-passphrase', 'Enter');
            await page.waitForSelector('#with-key:not([hidden])');
            assert.equal(await page.textContent('#fingerprint'), fingerprint);
            await page.check('#no-passphrase');
            const plain = await download(page, '#save-key');
            assert.match(new TextDecoder().decode(plain.data), /^-----BEGIN PRIVATE KEY-----/);

            assert.deepEqual(trouble, []);
            await close();
        });
    }
}

test('a large file is read in pieces', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server']());
    await page.click('#make');
    // 300 MB, chosen instead of dropped.
    const path = join(folder, 'large');
    const piece = Buffer.alloc(1e6, 'falcon');
    writeFileSync(path, '');
    for (let i = 0; i < 300; i++) writeFileSync(path, piece, { flag: 'a' });
    await page.setInputFiles('#sign-file', path);
    await says(page, '#sign-note', 'Signed300 MB.');
    assert.match(await page.textContent('#sign-note'), new RegExp(`"${basename(path)}"$`));
    const signed = await download(page, '#save-signature');
    const published = await download(page, '#save-public');
    await page.setInputFiles('#message-file', path);
    await drop(page, '#verify-section', file(signed.name, signed.data),
        file(published.name, published.data));
    await says(page, '#verdict', 'Valid');
    const publicKey = VerifyingKey.fromPem(new TextDecoder().decode(published.data));
    const verifier = publicKey.verifier(signed.data);
    for (let i = 0; i < 300; i++) verifier.update(piece);
    assert.equal(verifier.finalize(), true);
    assert.deepEqual(trouble, []);
    await close();
});

// A file, its signature and the key, as they are dropped.
function signedFiles() {
    const key = SigningKey.generate();
    return [file('real.pdf', MESSAGE), file('real.pdf.sig', key.sign(MESSAGE)),
        file('alice.pub', text(key.verifyingKey.toPem()))];
}

// Makes the page wait for the bytes of files with this name until `release()`.
const holdReads = (page, name) => page.evaluate((held) => {
    const read = File.prototype.arrayBuffer;
    const released = new Promise((resolve) => { window.release = resolve; });
    File.prototype.arrayBuffer = async function arrayBuffer() {
        if (this.name === held) await released;
        return read.call(this);
    };
}, name);

// Drops a file or folder of the disk.
async function dropPath(page, selector, path) {
    await page.locator(selector).scrollIntoViewIfNeeded();
    const { x, y } = await page.locator(selector).boundingBox();
    const session = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
        await session.send('Input.dispatchDragEvent', {
            type, x: x + 5, y: y + 5, data: { items: [], files: [path], dragOperationsMask: 1 },
        });
    }
}

test('after a drop that is refused, no old verdict stays', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server']());
    const [message, signature, publicFile] = signedFiles();
    await drop(page, '#verify-section', message, signature, publicFile);
    await says(page, '#verdict', 'Valid');
    await dropPath(page, '#verify-section', folder);
    await says(page, '#verdict', 'Nothing was verifiedfolders are not read');
    await drop(page, '#verify-section', message);
    await says(page, '#verdict', 'Valid');
    // A file that cannot be read.
    await page.evaluate(() => {
        const read = File.prototype.arrayBuffer;
        File.prototype.arrayBuffer = function arrayBuffer() {
            return this.name === 'gone' ? Promise.reject(new Error('gone')) : read.call(this);
        };
    });
    await drop(page, '#verify-section', file('gone', MESSAGE));
    await says(page, '#verdict', 'Nothing was verifiedgone"gone"');
    // Two files of one role: none of them is chosen.
    const forged = file('forged.pdf', text('order #43\n'));
    await drop(page, '#verify-section', forged, message, signature, publicFile);
    assert.match(await says(page, '#verdict', 'Nothing was verifiedmore than one file'),
        /"forged.pdf""real.pdf"/);
    await drop(page, '#verify-section', publicFile, { ...publicFile, name: 'evil.pub' });
    await says(page, '#verdict', 'Nothing was verifiedmore than one file looks like the verifying');
    assert.match(await page.textContent('#public-name'), /"alice.pub"/);
    assert.deepEqual(trouble, []);
    await close();
});

test('the last of two drops is verified, even if it is read first', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server']());
    const [message, signature, publicFile] = signedFiles();
    await drop(page, '#verify-section', message, signature);
    await says(page, '#verdict', 'Missing');
    await holdReads(page, 'slow.pub');
    const slow = text(SigningKey.generate().verifyingKey.toPem());
    await drop(page, '#verify-section', file('slow.pub', slow));
    await drop(page, '#verify-section', publicFile);
    await page.evaluate(() => window.release());
    assert.match(await says(page, '#verdict', 'Valid'), /"alice.pub"/);
    assert.match(await page.textContent('#public-name'), /"alice.pub"/);
    assert.deepEqual(trouble, []);
    await close();
});

test('a key file that is read late replaces no new key', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server']());
    await holdReads(page, 'late.key');
    await drop(page, '#open-drop', file('late.key', text(SigningKey.generate().toPem())));
    await page.click('#make');
    const fingerprint = await page.textContent('#fingerprint');
    await page.evaluate(() => window.release());
    await page.waitForTimeout(200);
    assert.equal(await page.textContent('#fingerprint'), fingerprint);
    // One file is signed at a time. Folders are refused.
    await drop(page, '#sign-drop', file('one', MESSAGE), file('two', MESSAGE));
    await says(page, '#sign-note', 'Not signeddrop one file');
    await dropPath(page, '#sign-drop', folder);
    await says(page, '#sign-note', 'Not signedfolders are not read');
    await page.evaluate(() => Object.defineProperty(File.prototype, 'size', { get: () => 3 }));
    await drop(page, '#sign-drop', file('grown', MESSAGE));
    await says(page, '#sign-note', 'Not signedit changed while it was read');
    // What the page shows if there are no random bytes.
    await page.evaluate(() => { crypto.getRandomValues = () => {}; });
    await drop(page, '#sign-drop', file('one', MESSAGE));
    await says(page, '#sign-note', 'Not signedcrypto.getRandomValues');
    await page.fill('#passphrase', 'correct horse');
    await page.fill('#repeated', 'correct horse');
    await page.click('#save-key');
    await says(page, '#key-note', 'The key is not savedcrypto.getRandomValues');
    assert.deepEqual(trouble, []);
    await close();
});

test('a file name forges no verdict', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server']());
    const [message, signature, publicFile] = signedFiles();
    const name = 'a.pdf. Its fingerprint: \u202eabc\u2069\n';
    await drop(page, '#verify-section', { ...message, name }, signature, publicFile);
    const verdict = await says(page, '#verdict', 'Valid');
    assert.match(verdict, /the file:[0-9a-f]{64}File:"a/);
    assert.equal(await page.textContent('#verdict bdi'),
        '"a.pdf. Its fingerprint: \ufffdabc\ufffd\ufffd"');
    assert.deepEqual(trouble, []);
    await close();
});

test('with the keyboard, in the dark, on a small screen', async () => {
    const { page, trouble, close } = await opened(ADDRESSES['served by a static server'](),
        { colorScheme: 'dark', viewport: { width: 380, height: 800 } });
    await page.focus('#parameters');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says(page, '#key-note', 'The key is only in this page');
    // Nothing is wider than the screen.
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 380);
    // Every field has a name.
    const unnamed = await page.evaluate(() => [
        ...document.querySelectorAll('input, select, button'),
    ].filter((field) => !(field.labels?.length || field.ariaLabel || field.textContent.trim()))
        .map((field) => field.id));
    assert.deepEqual(unnamed, []);
    await shoot(page, 'small-dark.png');
    assert.deepEqual(trouble, []);
    await close();
});

test('a file that misses its place does not replace the page', async () => {
    const { page, close } = await opened(ADDRESSES['served by a static server']());
    const prevented = await page.evaluate(() => {
        const event = new DragEvent('drop', { cancelable: true, bubbles: true });
        document.querySelector('header').dispatchEvent(event);
        return event.defaultPrevented;
    });
    assert.equal(prevented, true);
    await close();
});
