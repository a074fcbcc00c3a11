// A Node.js program at work: a heap of objects, strings, maps, closures and buffers, and a store kept as JSON.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const zlib = require('zlib');

const SEED = Number(process.argv[2]);
const USERS = 60000;
const DOCUMENTS = 10000;
const BUFFERS = 320;
const BUFFER_BYTES = 64 * 1024;

// A small generator of our own, so that the content is the same each time.
let state = SEED >>> 0;
function draw(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 4294967296) * below);
}

// Prose and code that people have written: repeated words of our own would pack far too well.
function readLibrary(directory) {
  const texts = [];
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) texts.push(readLibrary(path));
    else if (entry.isFile() && /\.(js|json|md)$/.test(entry.name)) texts.push(fs.readFileSync(path, 'utf8'));
  }
  return texts.join('');
}
const LIBRARY = readLibrary('/usr/share/nodejs');

// A string of its own, not a view of the library.
function passage(length) {
  const start = draw(LIBRARY.length - length);
  return Buffer.from(LIBRARY.slice(start, start + length)).toString();
}

const WORDS = [...new Set(LIBRARY.slice(0, 200000).match(/[a-z]{3,9}/g))].sort();

class User {
  constructor(id) {
    this.id = id;
    this.name = `user${draw(1e6)}`;
    this.score = draw(1e6) / 1000;
    this.joined = new Date(1e12 + draw(1e9) * 1000);
    this.friends = Array.from({ length: draw(8) }, () => draw(USERS));
    this.settings = { theme: draw(2) ? 'dark' : 'light', language: WORDS[draw(WORDS.length)], beta: draw(2) === 1 };
  }
}

const users = new Map();
for (let id = 0; id < USERS; ++id) users.set(`u${id}`, new User(id));

const documents = [];
for (let i = 0; i < DOCUMENTS; ++i) {
  const title = Array.from({ length: 5 }, () => WORDS[draw(WORDS.length)]);
  documents.push({ title, body: passage(300 + draw(2000)), tags: new Set([draw(50), draw(50)]) });
}

const search = new Map();
documents.forEach((document, number) => {
  for (const word of document.title) {
    if (!search.has(word)) search.set(word, []);
    search.get(word).push(number);
  }
});

// Some of what servers hold is packed or encrypted, and looks like noise.
const packed = documents.slice(0, 2000).map((document) => zlib.gzipSync(document.body));
const buffers = [];
for (let i = 0; i < BUFFERS; ++i) {
  const cipher = crypto.createCipheriv('aes-128-ctr', Buffer.alloc(16, i), Buffer.alloc(16, SEED & 255));
  buffers.push(i % 4 === 0 ? cipher.update(Buffer.alloc(BUFFER_BYTES)) : Buffer.from(passage(BUFFER_BYTES)));
}

const matrix = new Float64Array(1 << 20);
for (let i = 0; i < matrix.length; ++i) matrix[i] = Math.sin(i / 1000) + draw(1000) / 1e6;

const handlers = [];
for (let i = 0; i < 20000; ++i) handlers.push((value) => value + i + SEED);

const store = JSON.stringify([...users.values()].slice(0, 30000));

console.log(`warm: ${users.size} users, ${documents.length} documents, ${packed.length + buffers.length} buffers, ` +
  `${handlers.length} closures, ${(store.length / 1048576).toFixed(1)} MiB of JSON, ` +
  `heap ${(process.memoryUsage().heapUsed / 1048576).toFixed(0)} MiB`);

setInterval(() => {
  for (let i = 0; i < 50; ++i) users.get(`u${draw(USERS)}`).score = handlers[draw(handlers.length)](i);
  search.get(documents[0].title[0]).push(draw(DOCUMENTS));
}, 200);
