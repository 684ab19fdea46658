// Runs a bundle in a classic Web Worker. Served as it is.
const worker = new Worker('main.js');
worker.onerror = (event) => console.error(`worker: ${event.message}`);
