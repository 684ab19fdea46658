// Builds one program with every bundler, with both entries of the package, and runs it. Compares
// what works with the table in the README of the package.
import assert from 'node:assert/strict';
import { copyFileSync, createReadStream, readFileSync, rmSync, statSync, writeFileSync }
    from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { bytes, firstRandomBytes, hex, nistRecords } from '../common.mjs';
import {
    HERE, WORK, bunBuild, esbuildBuild, folder, rollupBuild, runBun, runDeno, runNode, viteBuild,
    viteServer, webpackBuild,
} from './tools.mjs';

const PACKAGE = join(HERE, 'node_modules/falconsign');
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };
const CLONES = Array(4).fill('DataCloneError').join();

// Known answers: the first record of each of NIST's files.
const answers = [512, 1024].map((degree) => {
    const [record] = nistRecords(degree);
    const signed = bytes(record.sm);
    const length = (signed[0] << 8) | signed[1];
    const body = signed.subarray(-length);
    return {
        parameters: `Falcon-${degree}`,
        seed: hex(firstRandomBytes(bytes(record.seed))),
        message: record.msg.toLowerCase(),
        publicKey: record.pk.toLowerCase(),
        secretKey: record.sk.toLowerCase(),
        // NIST's files have other headers.
        signature: hex([body[0] | 0x30, ...signed.subarray(2, 42), ...body.subarray(1)]),
    };
});
const REPORT = answers.map(({ parameters }) => ({
    parameters, secretKey: true, publicKey: true, known: true, signed: true, forged: false,
    clone: CLONES, message: 'DataCloneError', json: 'ERR_JSON',
}));

// A folder with a program that imports the package by this name.
function source(name, entry) {
    const place = folder();
    for (const file of ['program.js', 'catching.js', 'worker.js']) {
        const text = readFileSync(join(HERE, file), 'utf8');
        writeFileSync(join(place, file), text.replaceAll("'falconsign'", `'${entry}'`));
    }
    copyFileSync(join(HERE, 'start-worker.js'), join(place, 'start-worker.js'));
    writeFileSync(join(place, 'answers.js'),
        `export const answers = ${JSON.stringify(answers)};\n`);
    return join(place, name);
}

let browser;
before(async () => {
    rmSync(WORK, { recursive: true, force: true });
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox'],
    });
});
after(async () => {
    await browser?.close();
});

// Serves a folder, with this Content-Security-Policy.
async function served(place, policy) {
    const server = createServer((request, response) => {
        const { pathname } = new URL(request.url, 'http://localhost');
        const name = pathname === '/' ? 'index.html' : pathname.slice(1);
        if (policy) response.setHeader('content-security-policy', policy);
        createReadStream(join(place, name))
            .on('open', () => response.setHeader('content-type',
                TYPES[name.split('.').pop()] ?? 'application/octet-stream'))
            .on('error', () => response.writeHead(404).end())
            .pipe(response);
    });
    await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// What is printed, without what the program says about itself.
function reportOf(lines) {
    for (const { secretKey } of answers) {
        const shown = lines.join('\n').toLowerCase();
        const parts = [secretKey.slice(2, 34), bytes(secretKey).subarray(1, 17).join()];
        for (const part of parts) assert.ok(!shown.includes(part), 'a secret key was printed');
    }
    const line = lines.find((each) => each.startsWith('REPORT '));
    return line && JSON.parse(line.slice('REPORT '.length));
}

// Opens a page, and returns its report or its error. `vectors` is false for an engine without.
async function opened(address, vectors = true) {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const lines = [];
    const loaded = [];
    let end;
    const ended = new Promise((resolve) => { end = resolve; });
    tab.on('console', (message) => {
        lines.push(message.text());
        if (message.text().startsWith('REPORT ')) end();
        if (message.text().startsWith('worker: ')) end(message.text());
        if (message.text().startsWith('MODULE ')) loaded.push(Number(message.text().slice(7)));
    });
    tab.on('pageerror', (error) => end(error.message));
    const bodies = [];
    tab.on('response', (response) => {
        if (!response.url().endsWith('.wasm') || response.status() !== 200) return;
        bodies.push(response.body());
    });
    await tab.addInitScript((simd) => {
        if (!simd) WebAssembly.validate = () => false;
        const { Module } = WebAssembly;
        WebAssembly.Module = class extends Module {
            constructor(data) {
                console.log(`MODULE ${data.byteLength}`);
                super(data);
            }
        };
    }, vectors);
    await tab.goto(address);
    const timer = setTimeout(() => end(`no report: ${lines.join('; ')}`), 60_000);
    const error = await ended;
    clearTimeout(timer);
    // A page that is closed has no bodies.
    for (const body of await Promise.all(bodies)) loaded.push(body.length);
    await context.close();
    const report = reportOf(lines);
    return { report, error, loaded };
}

// The cell of a run: 'yes', or why it does not work.
function cellOf({ report, error }) {
    if (report) {
        assert.deepEqual(report, REPORT);
        return 'yes';
    }
    if (/WebAssembly did not start/.test(error)) {
        assert.match(error, /import falconsign\/inline instead/);
        return '`ERR_LOAD`';
    }
    return error;
}

async function inChromium(place) {
    const server = await served(await place);
    try {
        return cellOf(await opened(server.address));
    } finally {
        server.close();
    }
}

async function inVite(path) {
    const server = await viteServer(path);
    try {
        return cellOf(await opened(server.resolvedUrls.local[0]));
    } finally {
        await server.close();
    }
}

const onConsole = (output) => cellOf({ report: reportOf(output.split('\n')), error: output });
const inNode = async (place, name) => onConsole(runNode(join(await place, name)));

async function classicWorker(path) {
    const place = await esbuildBuild(path, { format: 'iife' });
    copyFileSync(join(HERE, 'start-worker.js'), join(place, 'start-worker.js'));
    writeFileSync(join(place, 'index.html'),
        '<!doctype html><title>test</title><script defer src="start-worker.js"></script>\n');
    return place;
}

const program = (entry) => source('program.js', entry);
const worker = (entry) => source('worker.js', entry);
const esbuildTo = (options, name) => (entry) => (name
    ? inNode(esbuildBuild(program(entry), { ...options, platform: 'node' }), name)
    : inChromium(esbuildBuild(program(entry), options)));
// The rows of the table: runs that end alike.
const CASES = {
    'Node, Bun, Deno': [
        (entry) => onConsole(runNode(program(entry))),
        // A CommonJS module that calls `require`.
        esbuildTo({ packages: 'external' }, 'main.cjs'),
        (entry) => onConsole(runBun(program(entry))),
        (entry) => onConsole(runDeno(program(entry))),
    ],
    'webpack 5': [
        (entry) => inChromium(webpackBuild(program(entry))),
        (entry) => inChromium(webpackBuild(worker(entry))),
        (entry) => inNode(webpackBuild(program(entry), 'node'), 'main.cjs'),
    ],
    Vite: [
        (entry) => inChromium(viteBuild(program(entry))),
        (entry) => inVite(program(entry)),
        (entry) => inChromium(viteBuild(worker(entry), { format: 'es' })),
    ],
    'Vite, worker without `worker.format: \'es\'`': [
        (entry) => inChromium(viteBuild(worker(entry))),
    ],
    'esbuild or Rollup for Node': [
        esbuildTo({}, 'main.cjs'),
        esbuildTo({ format: 'esm' }, 'main.mjs'),
        (entry) => inNode(rollupBuild(program(entry), 'es', true), 'main.mjs'),
    ],
    'esbuild, Rollup or Bun to an ES module': [
        esbuildTo({ format: 'esm' }),
        (entry) => inChromium(rollupBuild(program(entry), 'es')),
        (entry) => inChromium(bunBuild(program(entry))),
    ],
    'esbuild or Rollup to `iife`': [
        esbuildTo({ format: 'iife' }),
        (entry) => inChromium(classicWorker(program(entry))),
        (entry) => inChromium(rollupBuild(program(entry), 'iife')),
    ],
};

// The rows of the table in the README, by their first cell.
function table() {
    const [, rows] = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
        .match(/^\| built or run with \|.*\n\|[-|]*\n((?:\|.*\n)*)/m);
    return Object.fromEntries(rows.trim().split('\n').map((row) => {
        const [name, ...cells] = row.slice(1, -1).split('|').map((cell) => cell.trim());
        return [name, cells];
    }));
}

// The bundlers say in these words that a classic script cannot wait.
const NO_AWAIT = /top-level await|UMD and IIFE|Module format "?iife/i;

// The cell of some runs, which must end alike.
async function cellOfAll(runs, entry) {
    const cells = [];
    for (const run of runs) {
        try {
            cells.push(await run(entry));
        } catch (error) {
            if (!NO_AWAIT.test(error.message)) throw error;
            cells.push('build fails');
        }
    }
    assert.equal(new Set(cells).size, 1, cells.join('; '));
    return cells[0];
}

const found = {};
for (const [name, runs] of Object.entries(CASES)) {
    test(name, async (t) => {
        found[name] = [await cellOfAll(runs, 'falconsign'),
            await cellOfAll(runs, 'falconsign/inline')];
        t.diagnostic(`| ${[name, ...found[name]].join(' | ')} |`);
        assert.deepEqual(found[name], table()[name]);
    });
}

test('the README has these rows and no others', () => {
    assert.deepEqual(table(), found);
});

const size = (name) => statSync(join(PACKAGE, name)).size;
const BUILDS = {
    'falconsign': viteBuild,
    'falconsign/inline': (path) => esbuildBuild(path, { format: 'iife' }),
};
const STRICT = "default-src 'none'; script-src 'self'; connect-src 'self'";
const ALLOWED = STRICT.replace("'self';", "'self' 'wasm-unsafe-eval';");
for (const [entry, build] of Object.entries(BUILDS)) {
    test(`${entry} under a strict Content-Security-Policy loads the fitting module`, async () => {
        const server = await served(await build(program(entry)), ALLOWED);
        try {
            for (const [vectors, module] of [[true, 'native_simd.wasm'], [false, 'native.wasm']]) {
                const { report, error, loaded } = await opened(server.address, vectors);
                assert.deepEqual(report, REPORT, error);
                assert.deepEqual(loaded, [size(module)]);
            }
        } finally {
            // A server that is left open would keep the tests from ending.
            server.close();
        }
    });

    test(`${entry} says which Content-Security-Policy it needs`, async () => {
        const catching = source('catching.js', entry);
        for (const [policy, expected] of [[ALLOWED, 'loaded'], [STRICT, 'ERR_LOAD']]) {
            const server = await served(await build(catching), policy);
            const { report, error } = await opened(server.address).finally(() => server.close());
            assert.equal(report?.code ?? report, expected, error);
            if (policy === ALLOWED) continue;
            assert.equal(report.cause, 'CompileError');
            assert.match(report.message, /must have script-src 'wasm-unsafe-eval'/);
        }
    });
}
