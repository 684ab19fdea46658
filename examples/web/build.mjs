// Makes the page: `node build.mjs PACKAGE SITE`. The folder SITE gets index.html with app.js and
// the modules of the package, and falcon.html, which holds everything.
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const [packageFolder, site] = process.argv.slice(2).map((path) => resolve(path));
const here = fileURLToPath(new URL('.', import.meta.url));

// Finds the package, and loads it by `loader`.
const found = (loader) => ({
    name: 'package',
    setup(builder) {
        builder.onResolve({ filter: /^falconsign$/ }, () => ({ path: loader }));
        builder.onResolve({ filter: /^\.\/(native|falcon|start)\.js$/ },
            ({ path }) => ({ path: join(packageFolder, path) }));
        builder.onResolve({ filter: /\.wasm\.gz$/ },
            ({ path }) => ({ path: join(packageFolder, path), namespace: 'compressed' }));
        builder.onLoad({ filter: /.*/, namespace: 'compressed' }, ({ path }) => ({
            contents: gzipSync(readFileSync(path.slice(0, -'.gz'.length)), { level: 9 }),
            loader: 'binary',
        }));
    },
});

async function bundle(loader) {
    const { outputFiles: [{ text }] } = await build({
        entryPoints: [join(here, 'app.js')],
        bundle: true,
        minify: true,
        // The bindings warn of servers that serve .wasm files under another type.
        drop: ['console'],
        // Names that the bindings and the package use for themselves.
        mangleProps: /^(__wbg_ptr|__destroy_into_raw|__wrap|uncloneable)$/,
        format: 'esm',
        target: 'es2022',
        write: false,
        plugins: [found(loader)],
    });
    return text;
}

const replace = (source, from, to) => {
    if (source.split(from).length !== 2) throw new Error(`not once in index.html: ${from}`);
    return source.replace(from, () => to);
};

// The page, with its style minified.
const source = readFileSync(join(here, 'index.html'), 'utf8');
const [, style] = source.match(/<style>(.*)<\/style>/s);
const { code } = await transform(style, { loader: 'css', minify: true });
const page = replace(source, style, code);

// For a static server.
for (const name of ['native.wasm', 'native_simd.wasm']) {
    copyFileSync(join(packageFolder, name), join(site, name));
}
writeFileSync(join(site, 'index.html'), page);
writeFileSync(join(site, 'app.js'), await bundle(join(packageFolder, 'web.js')));

// In one file.
const text = await bundle(join(here, 'inline.js'));
const script = `\n${text.replaceAll('</script', '<\\/script')}`;
const hash = createHash('sha256').update(script).digest('base64');

let html = replace(page, '<script type="module" src="app.js"></script>',
    `<script type="module">${script}</script>`);
html = replace(html, "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    `script-src 'sha256-${hash}' 'wasm-unsafe-eval'; connect-src 'none'`);
writeFileSync(join(site, 'falcon.html'), html);
