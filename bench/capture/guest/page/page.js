// Makes the page at work: the orders as objects, pictures drawn and encoded, rows that change. It leaves to the
// browser's own code what that can do, since scripts are slow under emulation.
'use strict';

const PICTURES = 4;
const SHAPES = 40;

async function loadOrders() {
  const answer = await fetch('/orders.json');
  return new Map((await answer.json()).map((order) => [order.number, order]));
}

async function drawPicture(place, number) {
  const canvas = document.createElement('canvas');
  canvas.width = 640;
  canvas.height = 400;
  const pen = canvas.getContext('2d');
  const sky = pen.createLinearGradient(0, 0, 640, 400);
  sky.addColorStop(0, `hsl(${number * 70} 60% 70%)`);
  sky.addColorStop(1, `hsl(${number * 110} 40% 40%)`);
  pen.fillStyle = sky;
  pen.fillRect(0, 0, 640, 400);
  for (let i = 0; i < SHAPES; ++i) {
    pen.fillStyle = `hsl(${i * 37} 70% 50% / 0.4)`;
    pen.beginPath();
    pen.arc((i * 97) % 640, (i * 61) % 400, 10 + i % 50, 0, 7);
    pen.fill();
  }
  place.append(canvas);
  const image = new Image(320);
  image.src = canvas.toDataURL('image/jpeg', 0.9);
  place.append(image);
  await image.decode();
}

function report(text) {
  return fetch('/', { method: 'POST', body: text });
}

async function start() {
  const orders = await loadOrders();
  const rows = document.getElementById('rows');
  rows.addEventListener('click', (event) => event.target.closest('tr').classList.toggle('late'));
  for (let number = 0; number < PICTURES; ++number) await drawPicture(document.getElementById('pictures'), number);
  localStorage.setItem('orders', JSON.stringify([...orders.values()].slice(0, 2000)));
  document.body.getBoundingClientRect();  // lays everything out
  await report(`${orders.size} orders, ${rows.children.length} rows, ${document.images.length} pictures`);
  setInterval(() => {
    rows.append(rows.firstElementChild);
    document.title = rows.firstElementChild.textContent;
  }, 500);
}

addEventListener('load', () => start().catch((error) => report(`error: ${error.stack}`)));
