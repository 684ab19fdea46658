// Runs the program in a Web Worker that the bundler finds.
const worker = new Worker(new URL('./program.js', import.meta.url), { type: 'module' });
worker.onerror = (event) => console.error(`worker: ${event.message}`);
