// The page of kerr report in headless Chromium: that it opens without an error, that all of it can be used by mouse,
// by keyboard and by ear, and that no text of a run is ever more than text.
// Environment: KERR the command, CHROMIUM the browser; KERR_PAGE_PICTURES a folder for screenshots, if they are wanted.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {after, before, test} from 'node:test';
import {Browser} from './browser.mjs';

const kerr = process.env.KERR ?? 'build/release/kerr', pictures = process.env.KERR_PAGE_PICTURES;
const folder = mkdtempSync(join(tmpdir(), 'kerr-report-'));
let browser;

// The report of a command. Its exit status is the run's.
function report(name, words, status = 0) {
  const file = join(folder, `${name}.html`);
  const done = spawnSync(kerr, [...words, '--report', file], {encoding: 'utf8', cwd: folder});
  assert.equal(done.status, status, done.stderr);
  return file;
}

let product;  // a product of seven cores in exact timing
before(async () => {
  product = report('product', ['matmul', '256', '256', '256', '--plan', 'compat', '--timing', 'exact', '--check']);
  browser = await Browser.start(process.env.CHROMIUM ?? 'chromium');
});
after(async () => {
  await browser?.stop();
  rmSync(folder, {recursive: true, force: true});
});

async function opened(file, options) {
  const page = await browser.open(file, options);
  assert.deepEqual(page.errors, []);
  assert.equal(await page.eval('document.getElementById("trouble").hidden'), true, await page.text('#trouble'));
  return page;
}

async function closed(page, name) {
  if (pictures && name) await page.screenshot(join(pictures, `${name}.png`));
  assert.deepEqual(page.errors, []);
  assert.equal(page.requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:')).length, 0, 'it fetches nothing');
  await page.close();
}

test('opens, in light and dark, and says what ran', async () => {
  for (const dark of [false, true]) {
    const page = await opened(product, {dark, height: 2700});
    assert.equal(await page.text('h1'), 'kerr matmul 256 256 256');
    assert.match(await page.text('#facts'), /p100a · 13,262 cycles = 9\.8 µs at 1350 MHz · 7 of 120 tiles had work/);
    const [page_, ink] = await page.eval('["backgroundColor", "color"].map((p) => getComputedStyle(document.body)[p])');
    const light = (text) => text.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) > 380;
    assert.deepEqual([light(page_), light(ink)], [!dark, dark]);
    await closed(page, dark ? 'dark' : 'light');
  }
});

test('has what the guide names', async () => {
  const guide = readFileSync(join(dirname(new URL(import.meta.url).pathname), '../../docs/guide/where-time-goes.md'), 'utf8');
  const named = [...guide.slice(0, guide.indexOf('## The same as text')).matchAll(/\*\*([^*]+)\*\*/g)].map((m) => m[1].replace(/\s+/g, ' '));
  assert.ok(named.length >= 8, named.join(', '));
  const page = await opened(product);
  const spoken = (await page.spoken()).map((n) => n.name);
  for (const name of named) assert.ok(spoken.includes(name), `${name}, which the guide names`);
  await closed(page);
});

test('has the numbers of --utilisation', async () => {
  const run = spawnSync(kerr, ['matmul', '256', '256', '256', '--plan', 'compat', '--timing', 'exact', '--utilisation', '--json'], {encoding: 'utf8'});
  const told = JSON.parse(run.stdout).utilisation;
  const page = await opened(product);
  const shown = await page.eval(`kerr.run.computing.map((t) => ({node: t.node, fpu: t.units.get(kerr.run.json.names.units.indexOf('FPU')).busy(0, kerr.run.cycles) / kerr.run.cycles}))`);
  assert.deepEqual(shown.map((s) => s.node), told.cores.map((c) => c.y * 17 + c.x));
  shown.forEach((s, i) => assert.ok(Math.abs(s.fpu - told.cores[i].units.FPU) < 1e-9));
  const path = await page.eval('kerr.run.path.map((s) => [s.begin, s.end])');
  const begin = told.begin_cycles;
  assert.deepEqual(path, told.critical_path.segments.map((s) => [s.begin_cycles - begin, s.end_cycles - begin]));
  await closed(page);
});

test('a click on a tile shows its harts, units, buffers and lines', async () => {
  const page = await opened(product);
  await page.click('.cell[data-node="37"]');  // (3,2)
  assert.equal(await page.text('#tile-heading'), 'Tile (3,2)');
  const text = await page.text('#tile');
  for (const word of ['Harts and threads', 'BRISC', 'T1', 'Units', 'FPU', 'Circular buffers', 'Lines that took its time']) assert.ok(text.includes(word), word);
  assert.equal(await page.eval('document.querySelectorAll("#tile .uplot").length'), 1);
  await page.click('#tile table:last-of-type button.link');
  assert.equal(await page.eval('document.querySelectorAll("#code details[open]").length'), 1);
  assert.match(await page.text('#code details[open]'), /Instructions/);
  await closed(page);
});

test('the grid is walked with arrow keys', async () => {
  const page = await opened(product);
  await page.eval('document.querySelector(".cell.chosen").focus()');
  await page.key('ArrowRight');
  await page.key('ArrowDown');
  assert.equal(await page.text('#tile-heading'), 'Tile (1,2)', 'the arrows only move');
  await page.key('Enter');
  assert.equal(await page.text('#tile-heading'), 'Tile (2,3)');
  assert.equal(await page.eval('document.querySelectorAll(".cell[tabindex=\'0\']").length'), 1, 'one tile is in the order of Tab');
  await closed(page);
});

test('the slider moves through time, and the links of both NoCs with it', async () => {
  const page = await opened(product);
  const links = () => page.eval(`[...document.querySelectorAll('#grid line')].filter((l) => l.style.display !== 'none').map((l) => l.querySelector('title').textContent).sort().join('|')`);
  const whole = await links();
  assert.match(whole, /NoC 0/);
  assert.match(whole, /NoC 1/);
  await page.set('#moment', '300');
  const moment = await links();
  assert.notEqual(moment, whole);
  assert.match(await page.text('#moment-says'), /^cycles 3,9\d\d to 4,0\d\d; busiest link: NoC/);
  assert.match(await page.eval('document.getElementById("moment").getAttribute("aria-valuetext")'), /^cycles/);
  await page.click('#noc1');
  assert.doesNotMatch(await links(), /NoC 1/);
  await page.click('#moment-play');
  await new Promise((done) => setTimeout(done, 400));
  await page.click('#moment-play');
  assert.ok(Number(await page.eval('document.getElementById("moment").value')) > 300, 'it plays');
  await page.click('#moment-all');
  assert.match(await page.text('#moment-says'), /^whole stretch, 13,262 cycles/);
  await page.set('#measure', '0');
  await closed(page);
});

test('the timeline zooms, moves and is pointed at', async () => {
  const page = await opened(product);
  const stretch = () => page.eval('[kerr.view.from, kerr.view.to]');
  const [x, y] = await page.middle('#lanes');
  await page.mouse('mouseWheel', x, y, {deltaX: 0, deltaY: -600});
  await page.frame();
  const [from, to] = await stretch();
  assert.ok(from > 0 && to < 13262 && to - from < 6000, `${from} ${to}`);
  await page.drag(x, y, x + 200);
  assert.ok((await stretch())[0] < from, 'dragging to the right goes back');
  await page.eval('document.getElementById("lanes").focus()');
  const before = await stretch();
  await page.key('ArrowRight');
  assert.ok((await stretch())[0] > before[0]);
  await page.key('+');
  assert.ok((await stretch())[1] - (await stretch())[0] < before[1] - before[0]);
  await page.key('0');
  assert.deepEqual(await stretch(), [0, 13262]);
  const tile = await page.text('#tile-heading');
  await page.key('ArrowDown');
  assert.notEqual(await page.text('#tile-heading'), tile);
  const row = await page.eval(`(() => { const c = document.getElementById('lanes').getBoundingClientRect(), r = kerr.timeline.rows.find((r) => r.isTile && r.tile.name === '(5,2)');
    return [c.left + 300, c.top + r.top + r.height / 2]; })()`);
  await page.clickAt(...row);
  assert.equal(await page.text('#tile-heading'), 'Tile (5,2)');
  const hart = await page.eval(`(() => { const c = document.getElementById('lanes').getBoundingClientRect(), r = kerr.timeline.rows.find((r) => r.label === 'T1');
    return [c.left + 500, c.top + r.top + r.height / 2]; })()`);
  await page.mouse('mouseMoved', ...hart);
  await page.frame();
  assert.match(await page.text('.tip'), /^\(5,2\) T1 (works|waits: )/);
  for (const kind of ['path', 'packets', 'unit', 'link']) {
    const at = await page.eval(`(() => { const c = document.getElementById('lanes').getBoundingClientRect(), r = kerr.timeline.rows.find((r) => r.kind === '${kind}');
      return [c.left + 500, c.top + r.top + r.height / 2]; })()`);
    await page.mouse('mouseMoved', ...at);
    await page.frame();
    assert.notEqual(await page.text('.tip'), '', kind);
  }
  await page.set('#overview', '0');
  await page.click('#draw-path');
  await closed(page);
});

test('stalls are shown of another hart and of one tile', async () => {
  const page = await opened(product);
  assert.match(await page.text('#stall-sums'), /waits: SrcA/);
  await page.set('#stall-agent', await page.eval(`String(kerr.run.json.names.agents.indexOf('TRISC1'))`));
  assert.match(await page.text('#stall-sums'), /room in FIFO/);
  await page.set('#stall-where', 'tile');
  assert.match(await page.text('#stall-sums caption'), /one tile/);
  await closed(page);
});

test('a segment of the critical path leads into the timeline', async () => {
  const page = await opened(product);
  await page.click('#path button.link');
  assert.ok(await page.eval('kerr.view.to - kerr.view.from < 13262'));
  await closed(page);
});

test('a line of a kernel shows its instructions and the Tensix words beside them', async () => {
  const page = await opened(product);
  const kernel = await page.eval(`[...document.getElementById('kernel').options].find((o) => o.text.startsWith('matmul_math')).value`);
  await page.set('#kernel', kernel);
  const line = await page.eval(`[...document.querySelectorAll('#code details')].findIndex((d) => { d.open = true; d.dispatchEvent(new Event('toggle')); return d.textContent.includes('MVMUL'); })`);
  assert.ok(line >= 0, 'a line that pushes MVMUL');
  assert.match(await page.text(`#code details:nth-of-type(${line + 1})`), /Tensix words that it pushed/);
  assert.match(await page.text('#code'), /\.cpp:\d+/);
  await closed(page, 'code');
});

test('all of it has a role and a name, and Tab reaches what can be used', async () => {
  const page = await opened(product);
  const spoken = await page.spoken();
  for (const {role, name} of spoken)
    if (['button', 'combobox', 'checkbox', 'slider', 'gridcell', 'link', 'application', 'grid', 'image', 'img', 'region', 'navigation', 'table'].includes(role)) assert.notEqual(name.trim(), '', `a ${role} without a name`);
  for (const [role, pattern] of [['slider', /Moment/], ['grid', /Tiles of the chip/], ['gridcell', /^\(1,2\) Tensix, FPU \d/], ['application', /Timeline/], ['heading', /Critical path/], ['combobox', /Theme/]])
    assert.ok(spoken.some((n) => n.role === role && pattern.test(n.name)), `${role} ${pattern}`);
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await page.key('Tab');
    reached.add(await page.eval('document.activeElement.id || document.activeElement.className.baseVal || document.activeElement.textContent'));
  }
  for (const id of ['theme', 'measure', 'cell tensix chosen', 'moment', 'moment-play', 'overview', 'lanes', 'stall-agent', 'kernel']) assert.ok(reached.has(id), `${id} of ${[...reached].join(', ')}`);
  await closed(page);
});

test('the theme can be chosen', async () => {
  const page = await opened(product);
  const paper = () => page.eval('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  await page.set('#theme', 'dark');
  assert.notEqual(await paper(), light);
  await closed(page);
});

test('a hang leads to the tile and the line to blame', async () => {
  writeFileSync(join(folder, 'hang.s'), '  lw t0, 0(a0)\ntop:\n  lw t1, 0(t0)\n  beqz t1, top\n  ret\n');
  const file = report('hang', ['run', 'hang.s', '--l1', 'flag:16', '--args', 'flag', '--core', '2-4,3-4'], 3);
  const page = await opened(file);
  assert.match(await page.text('#verdict'), /Deadlock/);
  assert.match(await page.text('#verdict .account'), /root: \(2,3\) BRISC/);
  await page.click('#verdict .account button.link');
  assert.equal(await page.text('#tile-heading'), 'Tile (2,3)');
  const line = await page.eval(`(() => { const b = [...document.querySelectorAll('#verdict button.link')].find((b) => b.textContent === 'hang.s:3'); b?.click(); return Boolean(b); })()`);
  assert.ok(line, 'the line is a link');
  await page.frame();
  assert.match(await page.text('#code details[open]'), /lw t1/);
  assert.match(await page.text('#facts'), /relaxed timing/);
  await closed(page, 'hang');
});

test('findings of the checker are links to tile, line and moment', async () => {
  const elf = join(dirname(kerr), 'examples/checked/checked_push_early.elf');
  assert.ok(existsSync(elf), elf);
  const file = report('findings', ['run', elf, '--cb', '0:2x2048', '--dram', 'in:1x2048', '--args', 'in,0', '--check', '--check-exit', '0']);
  const page = await opened(file);
  assert.match(await page.text('#findings article h3'), /error.*cb-incomplete/);
  const links = await page.eval(`[...document.querySelectorAll('#findings article button.link')].map((b) => b.textContent)`);
  assert.ok(links.some((l) => /^\(1,2\)$/.test(l)), links.join(' '));
  assert.ok(links.some((l) => /\.cpp:\d+$/.test(l)), links.join(' '));
  assert.ok(links.some((l) => /^cycle /.test(l)), links.join(' '));
  await page.eval(`[...document.querySelectorAll('#findings article button.link')].forEach((b) => b.click())`);
  await closed(page, 'findings');
});

// Two runs become the chips of one: what the page would be made of if a machine of two had been watched.
test('a run of several chips shows the one that is chosen', async () => {
  const json = (name, words) => {
    const file = join(folder, `${name}.json`), done = spawnSync(kerr, [...words, '--report', file], {encoding: 'utf8'});
    assert.equal(done.status, 0, done.stderr);
    return JSON.parse(readFileSync(file, 'utf8'));
  };
  const first = json('chip0', ['matmul', '256', '256', '256', '--plan', 'compat', '--timing', 'exact']);
  const second = json('chip1', ['matmul', '64', '64', '64', '--plan', 'compat', '--timing', 'exact', '--board', 'p150']);
  const own = ['board', 'tiles', 'reasons', 'launches', 'further_launches', 'code', 'data_bytes', 'data'];
  first.more_chips = [Object.fromEntries(own.map((key) => [key, second[key]]))];
  Object.assign(first, {failure: 'it failed', account: 'root: chip 1 (1,2) BRISC waits for chip 0 (3,2)\n'});
  const merged = join(folder, 'chips.json'), page_ = join(folder, 'chips.html');
  writeFileSync(merged, JSON.stringify(first));
  assert.equal(spawnSync(kerr, ['report', merged, '-o', page_], {encoding: 'utf8'}).status, 0);

  const page = await opened(page_);
  assert.match(await page.text('#facts'), /^chip 0, p100a · .* · 7 of 120 tiles had work/);
  assert.deepEqual(await page.eval('[...document.getElementById("chip").options].map((o) => o.textContent.split(":")[0])'), ['0, p100a', '1, p150']);
  const spoken = async () => (await page.spoken()).filter((n) => n.name);
  assert.ok((await spoken()).some((n) => n.role === 'combobox' && n.name.trim().startsWith('Chip')), 'the choice has a name');
  assert.ok((await spoken()).some((n) => n.role === 'grid' && /^Tiles of chip 0/.test(n.name)));
  await page.set('#moment', '300');
  await page.click('#moment-play');

  // By keyboard, as a person does.
  await page.eval('document.getElementById("chip").focus()');
  await page.key('ArrowDown');
  assert.equal(await page.eval('document.activeElement.id'), 'chip', 'what is chosen with stays where it is');
  assert.match(await page.text('#facts'), /^chip 1, p150 · .* · \d+ of 140 tiles had work/);
  assert.match(await page.text('#tile-heading'), /^Tile \(\d+,\d+\) of chip 1$/);
  assert.ok((await spoken()).some((n) => n.role === 'grid' && /^Tiles of chip 1/.test(n.name)));
  assert.equal(await page.eval('document.querySelectorAll("main section#grid").length'), 1);
  assert.equal(await page.eval('document.querySelectorAll("#grid svg").length'), 1);
  assert.match(await page.text('#code'), /matmul_/);

  // A tile that a text names leads to its chip.
  await page.eval(`[...document.querySelectorAll('#verdict button.link')].find((b) => b.textContent === 'chip 0 (3,2)').click()`);
  await page.frame();
  assert.equal(await page.text('#tile-heading'), 'Tile (3,2) of chip 0');
  assert.equal(await page.eval('document.getElementById("chip").value'), '0');
  await page.set('#theme', 'dark');
  await page.set('#chip', '1');
  assert.equal(await page.eval('document.documentElement.dataset.theme'), 'dark');
  await closed(page, 'chips');
});

test('a run of one chip has no choice of chips', async () => {
  const page = await opened(product);
  assert.equal(await page.eval('document.getElementById("chip").parentElement.hidden'), true);
  assert.ok(!(await page.spoken()).some((n) => n.role === 'combobox' && n.name.trim().startsWith('Chip')));
  await closed(page);
});

test('names, lines and texts of a run are never markup', async () => {
  const evil = '<script><img src=x onerror=hacked=1>.s'.replace('<script>', '<!--<script>'), name = `a${evil}`;
  writeFileSync(join(folder, name), '  .globl main\nmain:\n  nop # </script><img src=x onerror=hacked=1>\n  ret\n');
  const page = await opened(report('evil', ['run', name]));
  assert.ok((await page.text('h1')).includes(name));
  assert.equal(await page.eval('typeof hacked'), 'undefined');
  assert.equal(await page.eval('document.images.length'), 0);
  // What no file name can hold: the file that a page is made of, with the same in all of its texts.
  const json = join(folder, 'evil.json');
  report('evil2', ['matmul', '64', '64', '64']);
  const done = spawnSync(kerr, ['matmul', '64', '64', '64', '--report', json], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const bad = '</script><img src=x onerror=hacked=1><script>hacked=1</script>';
  const spoiled = (value, key) => typeof value === 'string' ? (['data', 'kind', 'timing', 'hart'].includes(key) ? value : bad + value)
    : Array.isArray(value) ? value.map((v) => spoiled(v, key)) : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, spoiled(v, k)])) : value;
  const run = spoiled(JSON.parse(readFileSync(json, 'utf8')));
  Object.assign(run, {failure: bad, account: `${bad} (1,2) x.cpp:3`, remarks: [bad]});
  writeFileSync(json, JSON.stringify(run));
  const html = join(folder, 'evil3.html');
  const made = spawnSync(kerr, ['report', json, '-o', html], {encoding: 'utf8'});
  assert.equal(made.status, 0, made.stderr);
  const page3 = await opened(html);
  assert.equal(await page3.eval('typeof hacked'), 'undefined');
  assert.equal(await page3.eval('document.images.length'), 0);
  assert.ok((await page3.text('h1')).startsWith('</script><img'));
  await closed(page);
  await closed(page3);
});

test('a file that is damaged is told of, and nothing is drawn', async () => {
  const json = join(folder, 'damaged.json'), html = join(folder, 'damaged.html');
  spawnSync(kerr, ['matmul', '64', '64', '64', '--report', json]);
  const run = JSON.parse(readFileSync(json, 'utf8'));
  run.data_bytes -= 100;
  writeFileSync(json, JSON.stringify(run));
  assert.equal(spawnSync(kerr, ['report', json, '-o', html]).status, 0);
  const page = await browser.open(html);
  assert.match(await page.text('#trouble'), /^This report cannot be shown: /);
  await page.close();
});

test('a log is shown with the names of its kernels', async () => {
  const log = join(folder, 'run.log'), html = join(folder, 'log.html');
  assert.equal(spawnSync(kerr, ['matmul', '64', '64', '64', '--cores', '2', '--timing', 'exact', '--record', log]).status, 0);
  const done = spawnSync(kerr, ['report', log, '-o', html], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const page = await opened(html);
  assert.ok(await page.eval('kerr.run.spans > 1000'));
  assert.match(await page.text('#code'), /matmul_unpack/);
  await closed(page);
});

test('a million spans open within seconds and zoom smoothly', async (t) => {
  const size = process.env.KERR_LONG_ROWS ? '2048' : '1024';
  const file = report('large', ['matmul', size, size, size, '--timing', 'exact']);
  const page = await opened(file);
  const cpu = await page.cpu();
  const [spans, ms] = await page.eval('[kerr.run.spans, kerr.openedAfter]');
  await page.eval('for (let i = 0; i < 24; i++) { kerr.timeline.zoom(i < 12 ? 0.6 : 1.6); kerr.timeline.paint(); }');
  const frame = (await page.cpu() - cpu) / 24;
  t.diagnostic(`${spans} spans, ${statSync(file).size} bytes, opened after ${Math.round(ms)} ms, of which the page's thread worked ${Math.round(cpu)} ms; a frame ${frame.toFixed(1)} ms`);
  assert.ok(spans > 500_000, `${spans} spans`);
  assert.ok(cpu < 2000, `it worked for ${cpu} ms until it was open`);
  assert.ok(frame < 100, `${frame} ms a frame`);
  await closed(page, 'large');
});
