// One tile: what it is, its harts and threads, units, circular buffers, and the lines that took its time.
import uPlot from 'uplot';
import {colour, h, table} from '../dom.js';
import {bytes, counted, grouped, hex, leaf, percent} from '../numbers.js';
import {hotLines} from './hot_lines.js';

const LINES = 8;

export class TilePanel {
  constructor(element, view, showLine) {
    Object.assign(this, {element, view, run: view.run, showLine});
    view.on(['tile', 'time', 'moment', 'theme'], () => this.paint());
    this.paint();
  }

  paint() {
    const {tile} = this.view;
    this.plots?.forEach((plot) => plot.destroy());
    this.plots = [];
    this.element.replaceChildren(
      h('h2', {id: 'tile-heading'}, `Tile ${tile.name}${this.view.several ? ` of chip ${this.run.chip}` : ''}`),
      h('p', {class: 'quiet'}, this.whatItIs(tile)),
      ...(tile.acted ? [this.agents(tile), this.units(tile), this.buffers(tile), this.lines(tile)] : [h('p', {}, 'Nothing of it acted while this was watched.')]).filter(Boolean));
  }

  whatItIs(tile) {
    const programs = [...new Set(this.run.json.launches.filter((l) => l.nodes.includes(tile.node)).map((l) => l.program))];
    const parts = [tile.kind, `column ${tile.column}, row ${tile.row} of the grid`];
    if (tile.bank !== undefined) parts.push(`bank ${tile.bank}`);
    if (tile.off) parts.push('harvested');
    if (programs.length) parts.push(`ran ${programs.slice(0, 4).join(', ')}${programs.length > 4 ? ` and ${programs.length - 4} more` : ''}`);
    if (tile.packetCount) parts.push(`${counted(tile.packetCount, 'packet')} came`);
    return parts.join(' · ');
  }

  agents(tile) {
    const [from, to] = this.view.stretch, reasons = this.run.json.reasons;
    const rows = [...tile.agents].map(([agent, track]) => {
      const sums = new Float64Array(reasons.length);
      track.addByValue(from, to, sums);
      const waited = sums.reduce((a, b) => a + b, 0);
      const first = Math.max(from, track.first), last = Math.min(to, track.last);
      const most = [...sums.keys()].filter((r) => sums[r] / (to - from) >= 0.005).sort((a, b) => sums[b] - sums[a]).slice(0, 3);
      return [this.run.json.names.agents[agent], percent(last > first ? Math.max(0, last - first - waited) / (to - from) : 0),
        most.map((r) => `${reasons[r]} ${percent(sums[r] / (to - from))}`).join(', ')];
    });
    return table('Harts and threads', ['who', {text: 'works', number: true}, 'waits for'], rows);
  }

  units(tile) {
    const [from, to] = this.view.stretch;
    if (tile.units.size === 0) return null;
    return table('Units', ['unit', {text: 'busy', number: true}],
      [...tile.units].map(([unit, track]) => [this.run.json.names.units[unit], percent(track.busy(from, to) / (to - from))]));
  }

  buffers(tile) {
    const known = new Map();
    for (const launch of this.run.json.launches)
      if (launch.nodes.includes(tile.node)) for (const buffer of launch.buffers) known.set(buffer.id, buffer);
    const levels = levelsOf(tile);
    if (known.size === 0 && levels.size === 0) return null;
    const ids = [...new Set([...known.keys(), ...levels.keys()])].sort((a, b) => a - b);
    const rows = ids.map((id) => {
      const of = known.get(id), level = levels.get(id);
      return [`${id}`, of ? hex(of.address) : '', of ? `${of.pages} × ${bytes(of.page_bytes)}` : '', level ? grouped(level.received) : '', level ? grouped(level.most) : ''];
    });
    return h('div', {}, table('Circular buffers', ['buffer', 'at', 'pages', {text: 'pushed', number: true}, {text: 'most held', number: true}], rows),
      levels.size ? this.plotLevels(levels) : null);
  }

  plotLevels(levels) {
    const {from, to} = this.view, box = h('div', {class: 'plot', role: 'img', 'aria-label': 'Pages that each circular buffer held, over time'});
    const ids = [...levels.keys()].sort((a, b) => a - b), bins = 300;
    const x = Array.from({length: bins}, (_, i) => from + (to - from) * (i + 0.5) / bins);
    const data = [x, ...ids.map((id) => levels.get(id).sampled(x))];
    const tones = ['work', 'wait-dram', 'wait-source', 'wait-semaphore', 'wait-buffer', 'wait-noc', 'wait-feed', 'busy'];
    requestAnimationFrame(() => {
      if (!box.isConnected) return;
      const axis = {stroke: colour('quiet'), grid: {stroke: colour('rule'), width: 1}, ticks: {stroke: colour('rule'), width: 1}, font: '11px system-ui, sans-serif'};
      this.plots.push(new uPlot({
        width: box.clientWidth, height: 150, cursor: {drag: {x: false, y: false}}, scales: {x: {time: false}},
        axes: [{...axis, values: (_, ticks) => ticks.map(grouped)}, {...axis, size: 34}],
        series: [{label: 'cycle', value: (_, v) => v === null ? '' : grouped(v)},
          ...ids.map((id, i) => ({label: `buffer ${id}`, stroke: colour(tones[i % tones.length]), width: 1.5, paths: uPlot.paths.stepped({align: 1})}))],
      }, data, box));
      box.querySelector('table').setAttribute('aria-label', 'Pages under the pointer');
    });
    return box;
  }

  lines(tile) {
    const lines = tile.uses.filter((use) => use.code.kind === 'kernel').flatMap((use) => hotLines(use.code, use.places))
      .sort((a, b) => b.cycles - a.cycles).slice(0, LINES);
    if (lines.length === 0) return null;
    return table('Lines that took its time', ['line', 'kernel', {text: 'cycles', number: true}], lines.map((line) => [
      h('button', {class: 'link', type: 'button', onclick: () => this.showLine(line.code, line.index)}, line.name),
      leaf(line.code.name), grouped(line.cycles)]));
  }
}

// What each buffer of a tile held: pages received less pages acked, counters of 16 bits.
function levelsOf(tile) {
  const levels = new Map(), {credits} = tile;
  if (!credits) return levels;
  for (let i = 0; i < credits.n; i++) {
    const id = credits.which[i] >> 1;
    let level = levels.get(id);
    if (!level) levels.set(id, level = new Level());
    level.store(credits.cycle[i], credits.which[i] & 1, credits.value[i] & 0xffff);
  }
  for (const [id, level] of levels) if (level.received === 0) levels.delete(id);
  return levels;
}

class Level {
  constructor() {
    this.counters = [0, 0];
    this.cycles = [];
    this.held = [];
    this.received = 0;
    this.most = 0;
  }

  store(cycle, acked, value) {
    const by = (value - this.counters[acked]) & 0xffff;
    if (!acked && by < 0x8000) this.received += by;  // else a program has begun, which counts from 0
    this.counters[acked] = value;
    const held = (this.counters[0] - this.counters[1]) & 0xffff;
    this.cycles.push(cycle);
    this.held.push(held > 0x7fff ? 0 : held);
    this.most = Math.max(this.most, this.held[this.held.length - 1]);
  }

  sampled(x) {
    let i = 0;
    return x.map((cycle) => {
      while (i < this.cycles.length && this.cycles[i] <= cycle) i++;
      return i === 0 ? 0 : this.held[i - 1];
    });
  }
}
