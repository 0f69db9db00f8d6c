// The grid: what each tile is, how busy it was, and the links of both NoCs, in the stretch of time that is looked at.
import {h, s} from '../dom.js';
import {grouped, percent} from '../numbers.js';
import {heat} from '../palette.js';

const CELL = 46, MARGIN = 30, TILE = 24;
const LETTERS = {DRAM: 'D', Ethernet: 'E', PCIe: 'P', ARC: 'A', L2CPU: 'L', security: 'S', router: '·'};
const STEPS = 1000;  // of the slider

export class Grid {
  constructor(element, view) {
    this.view = view;
    this.run = view.run;
    const {run} = this;
    this.measures = [
      ...[...new Set(run.acting.flatMap((tile) => [...tile.units.keys()]))].sort((a, b) => a - b)
        .map((unit) => ({name: run.json.names.units[unit], of: (tile, from, to) => tile.units.get(unit)?.busy(from, to) / (to - from)})),
      ...[...new Set(run.acting.flatMap((tile) => [...tile.agents.keys()]))].sort((a, b) => a - b)
        .map((agent) => ({name: `${run.json.names.agents[agent]} works`, of: (tile, from, to) => works(tile.agents.get(agent), from, to)})),
    ];
    this.measure = Math.max(0, this.measures.findIndex((m) => m.name === (run.exact ? 'FPU' : 'BRISC works')));
    this.shown = [run.exact, run.exact];
    this.cells = [];
    this.lines = [];
    element.append(h('h2', {id: 'grid-heading'}, 'Grid'), this.controls(), this.drawing(), this.slider());
    view.on(['tile'], () => this.mark());
    view.on(['time', 'moment', 'theme'], () => this.paint());
    this.mark();
    this.paint();
  }

  controls() {
    const choose = h('select', {id: 'measure', onchange: (e) => { this.measure = Number(e.target.value); this.paint(); }},
      this.measures.map((m, i) => h('option', {value: i, selected: i === this.measure}, m.name)));
    const nocs = [0, 1].map((noc) => h('label', {}, h('input', {
      type: 'checkbox', checked: this.shown[noc], id: `noc${noc}`,
      onchange: (e) => { this.shown[noc] = e.target.checked; this.paint(); },
    }), `NoC ${noc}`));
    return h('div', {class: 'controls'}, h('label', {}, 'Tiles by ', choose), this.run.exact ? nocs : null,
      h('span', {class: 'scale', role: 'img', 'aria-label': 'Colours from 0 to 100 percent'}, '0', h('i', {}), '100 %'));
  }

  drawing() {
    const {columns, rows} = this.run.json;
    const width = columns * CELL + 2 * MARGIN, height = rows * CELL + 2 * MARGIN;
    const links = s('g', {'aria-hidden': 'true'});
    const body = s('g', {});
    for (let row = 0; row < rows; row++) {
      const line = s('g', {role: 'row'});
      for (let column = 0; column < columns; column++) line.append(this.cell(this.run.tiles[row * columns + column]));
      body.append(line);
    }
    for (const tile of this.run.tiles)
      for (const [id, track] of tile.links) if (id % 3 !== 2) links.append(this.link(tile, id, track));
    this.svg = s('svg', {
      viewBox: `0 0 ${width} ${height}`, role: 'grid', 'aria-label': `Tiles of ${this.view.several ? `chip ${this.run.chip}` : 'the chip'}; arrow keys move, Enter shows a tile`,
      onkeydown: (e) => this.key(e),
    }, links, body);
    return this.svg;
  }

  centre(tile) { return [MARGIN + tile.column * CELL + CELL / 2, MARGIN + tile.row * CELL + CELL / 2]; }

  cell(tile) {
    const [x, y] = this.centre(tile);
    const rect = s('rect', {x: x - TILE / 2, y: y - TILE / 2, width: TILE, height: TILE, rx: 4});
    const text = s('text', {x, y: y + 4}, tile.off ? '×' : LETTERS[tile.kind] ?? '');
    const cell = s('g', {
      role: 'gridcell', tabindex: -1, class: `cell ${tile.off ? 'off' : tile.kind.toLowerCase()}`, 'data-node': tile.node,
      onclick: () => this.go(tile), onfocus: () => this.focused = tile,
    }, s('title', {}), rect, text);
    this.cells[tile.node] = {tile, cell, rect, title: cell.firstChild};
    return cell;
  }

  // The two NoCs run beside one another, each on its side of the middle.
  link(tile, id, track) {
    const noc = Math.floor(id / 3), along = id % 3 === 0, out = noc === 0 ? CELL - 2 : 2 - CELL, side = noc === 0 ? -5 : 5;
    const [x, y] = this.centre(tile);
    const line = along ? s('line', {x1: x, y1: y + side, x2: x + out, y2: y + side}) : s('line', {x1: x + side, y1: y, x2: x + side, y2: y + out});
    const title = s('title', {});
    line.append(title);
    this.lines.push({noc, line, track, title, name: this.run.linkName(tile, id)});
    return line;
  }

  slider() {
    if (!this.run.exact) return '';
    const input = h('input', {
      type: 'range', id: 'moment', min: 0, max: STEPS, value: 0, step: 1, 'aria-label': 'Moment that the grid shows',
      oninput: () => this.slide(),
    });
    const width = h('select', {id: 'moment-width', 'aria-label': 'How long a moment is', onchange: () => this.slide()},
      [['1/20', 20], ['1/100', 100], ['1/500', 500]].map(([name, part]) => h('option', {value: part, selected: part === 100}, `${name} of it`)));
    const all = h('button', {type: 'button', id: 'moment-all', onclick: () => { this.stop(); this.view.lookAtMoment(null); }}, 'whole stretch');
    const play = h('button', {type: 'button', id: 'moment-play', 'aria-pressed': 'false', onclick: () => this.timer ? this.stop() : this.play()}, 'play');
    const said = h('output', {for: 'moment', id: 'moment-says'});
    Object.assign(this, {input, width, said, playButton: play});
    return h('div', {class: 'controls slide'}, play, input, width, all, said);
  }

  slide() {
    const {from, to} = this.view, length = (to - from) / Number(this.width.value);
    const begin = from + (to - from - length) * Number(this.input.value) / STEPS;
    this.view.lookAtMoment(begin, begin + length);
  }

  play() {
    this.playButton.textContent = 'stop';
    this.playButton.setAttribute('aria-pressed', 'true');
    this.timer = setInterval(() => {
      const next = Number(this.input.value) + 5;
      this.input.value = next > STEPS ? 0 : next;
      this.slide();
    }, 50);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = 'play';
    this.playButton.setAttribute('aria-pressed', 'false');
  }

  go(tile) {
    this.focused = tile;
    this.view.select(tile);
    this.cells[tile.node].cell.focus();
  }

  key(event) {
    const {columns, rows} = this.run.json;
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-columns, 0], End: [columns, 0]};
    const step = steps[event.key], tile = this.focused ?? this.view.tile;
    if (event.key === 'Enter' || event.key === ' ') this.view.select(tile);
    else if (!step) return;
    else {
      const column = Math.min(columns - 1, Math.max(0, tile.column + step[0])), row = Math.min(rows - 1, Math.max(0, tile.row + step[1]));
      this.cells[row * columns + column].cell.focus();
    }
    event.preventDefault();
  }

  mark() {
    for (const {tile, cell} of this.cells) {
      const chosen = tile === this.view.tile;
      cell.setAttribute('aria-selected', chosen);
      cell.setAttribute('tabindex', chosen ? 0 : -1);
      cell.classList.toggle('chosen', chosen);
    }
  }

  paint() {
    const [from, to] = this.view.stretch, shade = heat(), measure = this.measures[this.measure];
    for (const {tile, cell, rect, title} of this.cells) {
      const share = measure && tile.acted ? measure.of(tile, from, to) : undefined;
      const known = share !== undefined && !Number.isNaN(share);
      const bank = tile.bank === undefined ? '' : ` bank ${tile.bank}`;
      const label = `${tile.name} ${tile.kind}${bank}${tile.off ? ', harvested' : ''}${known ? `, ${measure.name} ${percent(share)}` : ''}`;
      rect.style.fill = known ? shade(share) : '';
      cell.setAttribute('aria-label', label);
      title.textContent = label;
    }
    let most = null;
    for (const {noc, line, track, title, name} of this.lines) {
      const share = this.shown[noc] ? track.busy(from, to) / (to - from) : 0;
      line.style.display = share > 0 ? '' : 'none';
      if (share === 0) continue;
      line.setAttribute('stroke', shade(share));
      line.setAttribute('stroke-width', (1.5 + 5 * share).toFixed(1));
      title.textContent = `${name}: ${percent(share)}`;
      if (!most || share > most.share) most = {share, name};
    }
    if (!this.said) return;
    const {moment} = this.view;
    const when = moment ? `cycles ${grouped(moment[0])} to ${grouped(moment[1])}` : `whole stretch, ${grouped(to - from)} cycles`;
    this.said.textContent = `${when}; busiest link: ${most ? `${most.name}, ${percent(most.share)}` : 'none'}`;
    this.input.setAttribute('aria-valuetext', when);
  }
}

function works(track, from, to) {
  if (!track) return undefined;
  const first = Math.max(from, track.first), last = Math.min(to, track.last);
  return last > first ? (last - first - track.busy(first, last)) / (to - from) : 0;
}
