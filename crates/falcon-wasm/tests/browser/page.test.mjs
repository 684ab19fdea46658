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
import { SigningKey, VerifyingKey } from '../../pkg/node.js';
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
        // Containers run as root often, where Chromium's sandbox does not start.
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

async function shoot(page, name) {
    if (screenshots) await page.screenshot({ path: join(screenshots, name), fullPage: true });
}

// Opens the page without a network. `address` is loaded first.
async function opened(address, options = {}) {
    const context = await browser.newContext({ acceptDownloads: true, ...options });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
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

            // Without a passphrase nothing is saved, unless it is wanted.
            await page.click('#save-key');
            await says(page, '#key-note', 'The key is not saved');
            await page.fill('#passphrase', 'correct horse');
            const saved = await download(page, '#save-key');
            assert.equal(saved.name, 'falcon.key');
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
                await drop(page, '#verify-section', ...files);
                return says(page, '#verdict', start);
            };
            await verdict('Missing: the signature and the verifying key.', message);
            await verdict('Missing: the verifying key.', signature);
            assert.match(await verdict('Valid', publicFile), new RegExp(fingerprint));
            if (how.startsWith('served')) await shoot(page, `${parameters}-valid.png`);

            await verdict('Not valid', file('order.txt', text('order #43\n')));
            if (how.startsWith('served')) await shoot(page, `${parameters}-forged.png`);
            await verdict('Valid', message);
            const other = SigningKey.generate(parameters).verifyingKey;
            await verdict('Not valid', file('other.pub', text(other.toPem())));
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
            // Formats are told apart, and a key may be bare bytes.
            const short = key.sign(MESSAGE, { format: 'compressed' });
            await verdict('Valid', file('short', short), file('bare', publicKey.toBytes()));
            await verdict('The verifying key cannot be read', file('broken.pub', text('-----')));
            // A signing key is no verifying key.
            await drop(page, '#public-drop', file(saved.name, saved.data));
            await says(page, '#verdict', 'The verifying key cannot be read');
            // The field says what a file is, whatever it looks like.
            await drop(page, '#public-drop', publicFile);
            await drop(page, '#message-drop', publicFile);
            await drop(page, '#signature-drop',
                file('of-the-key.sig', key.sign(published.data)));
            await says(page, '#verdict', 'Valid');

            // The saved key comes back under its passphrase only.
            await page.click('#forget');
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
    await says(page, '#sign-note', `Signed${basename(path)} (300 MB)`);
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
