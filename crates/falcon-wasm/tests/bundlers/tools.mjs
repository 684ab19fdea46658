// What makes the bundles: each function takes a source file, makes a folder, and returns it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const WORK = join(HERE, 'work');

export function folder() {
    mkdirSync(WORK, { recursive: true });
    return mkdtempSync(join(WORK, 'case-'));
}

// A page for a script. A strict Content-Security-Policy forbids scripts in the page itself.
export function page(place, script, type = 'module') {
    const kind = type === 'module' ? ' type="module"' : '';
    writeFileSync(join(place, 'index.html'),
        `<!doctype html><title>test</title><script defer${kind} src="${script}"></script>\n`);
    return place;
}

// The program of a package that npm installed for this processor.
function program(scope, path) {
    const scoped = join(HERE, 'node_modules', scope);
    const [name] = readdirSync(scoped);
    return join(scoped, name, path);
}
const bun = () => program('@oven', 'bin/bun');
const deno = () => program('@deno', 'deno');

const run = (command, options, source, environment = {}) =>
    execFileSync(command, [...options, basename(source)], {
        cwd: dirname(source), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...environment },
    });

export const runNode = (source) => run(process.execPath, [], source);
export const runBun = (source) => run(bun(), ['run'], source);
// Without a permission and without a network.
export const runDeno = (source) => run(deno(), ['run', '--no-prompt', '--cached-only', '--quiet'],
    source, { DENO_DIR: join(WORK, 'deno'), DENO_NO_UPDATE_CHECK: '1' });

export async function viteBuild(source, worker) {
    const root = dirname(source);
    const outDir = folder();
    page(root, `/${basename(source)}`);
    await vite.build({
        root, base: './', logLevel: 'silent', configFile: false, worker,
        build: { outDir, emptyOutDir: true },
    });
    return outDir;
}

// Returns a server that bundles on request.
export async function viteServer(source) {
    const root = dirname(source);
    page(root, `/${basename(source)}`);
    const server = await vite.createServer({
        root, cacheDir: folder(), logLevel: 'silent', configFile: false,
        server: { host: '127.0.0.1', port: 0, watch: null },
    });
    await server.listen();
    return server;
}

export async function webpackBuild(source, target = 'web') {
    const path = folder();
    const stats = await new Promise((resolve, reject) => {
        webpack({
            mode: 'production', target, entry: source, performance: false,
            output: { path, filename: target === 'node' ? 'main.cjs' : 'main.js' },
        }, (error, result) => (error ? reject(error) : resolve(result)));
    });
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'));
    return page(path, 'main.js', 'classic');
}

export async function esbuildBuild(source, options) {
    const place = folder();
    const outfile = join(place, options.platform === 'node' && options.format === 'esm'
        ? 'main.mjs' : options.platform === 'node' ? 'main.cjs' : 'main.js');
    const { warnings } = await esbuild.build({
        entryPoints: [source], bundle: true, minify: true, outfile, logLevel: 'silent', ...options,
    });
    if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('; '));
    return page(place, 'main.js', options.format === 'iife' ? 'classic' : 'module');
}

export async function rollupBuild(source, format, node = false) {
    const place = folder();
    const warnings = [];
    const bundle = await rollup({
        input: source,
        plugins: [nodeResolve(node ? { exportConditions: ['node'] } : { browser: true })],
        onwarn: ({ message }) => warnings.push(message),
    });
    await bundle.write({ file: join(place, node ? 'main.mjs' : 'main.js'), format });
    if (warnings.length > 0) throw new Error(warnings.join('; '));
    return page(place, 'main.js', format === 'iife' ? 'classic' : 'module');
}

export function bunBuild(source) {
    const place = folder();
    run(bun(), ['build', '--target=browser', '--outfile', join(place, 'main.js')], source);
    return page(place, 'main.js');
}
