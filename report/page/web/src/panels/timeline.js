// Harts, threads, units, packets and links over time. Wheel and keys zoom, dragging moves; a click shows a tile.
import {colour, h} from '../dom.js';
import {grouped} from '../numbers.js';
import {FAMILY_NAMES} from '../palette.js';
import {drawPath} from '../timeline/path_line.js';
import {Painter} from '../timeline/painter.js';
import {AXIS, layout, overviews} from '../timeline/rows.js';
import {says} from '../timeline/says.js';

const LABELS = 118;  // pixels on the left

export class TimelinePanel {
  constructor(element, view) {
    Object.assign(this, {view, run: view.run, painter: new Painter(view.run), overviews: overviews(view.run)});
    this.overview = this.overviews.find((o) => o.name === 'FPU') ?? this.overviews.find((o) => o.name === 'BRISC') ?? this.overviews[0] ?? {name: 'nothing', tiles: []};
    this.canvas = h('canvas', {
      tabindex: 0, role: 'application', 'aria-roledescription': 'timeline', id: 'lanes', 'aria-describedby': 'lanes-says lanes-keys',
      'aria-label': 'Timeline. Left and right move, plus and minus zoom, 0 shows all, up and down choose the tile.',
      onkeydown: (e) => this.key(e), onwheel: (e) => this.wheel(e), onpointerdown: (e) => this.press(e), onpointermove: (e) => this.move(e),
      onpointerup: (e) => this.release(e), onpointerleave: () => this.hover(null), ondblclick: () => view.look(0, this.run.cycles),
    });
    this.tip = h('div', {class: 'tip', 'aria-hidden': 'true', hidden: true});
    this.said = h('p', {id: 'lanes-says', class: 'quiet', 'aria-live': 'polite'});
    const button = (text, label, act) => h('button', {type: 'button', 'aria-label': label, onclick: act}, text);
    element.append(
      h('h2', {id: 'timeline-heading'}, 'Timeline'),
      h('div', {class: 'controls'},
        button('−', 'Zoom out', () => this.zoom(2)), button('+', 'Zoom in', () => this.zoom(0.5)), button('all', 'Show the whole time', () => view.look(0, this.run.cycles)),
        h('label', {}, 'Rows of all tiles ', h('select', {id: 'overview', onchange: (e) => this.choose(Number(e.target.value))},
          this.overviews.map((o, i) => h('option', {value: i, selected: o === this.overview}, o.name)))),
        this.run.path.length ? h('label', {}, this.drawsPath = h('input', {type: 'checkbox', id: 'draw-path', checked: true, onchange: () => this.paint()}), 'critical path') : null),
      h('ul', {class: 'legend', 'aria-label': 'Colours of the timeline'}, Object.entries(FAMILY_NAMES).map(([name, text]) => h('li', {}, h('i', {class: `key ${name}`}), text))),
      h('div', {class: 'lanes'}, this.canvas, this.tip), this.said,
      h('p', {id: 'lanes-keys', class: 'quiet'}, 'Wheel or + and − zoom, dragging or ← and → move, a double click or 0 shows all; ↑ and ↓ or a click choose the tile.'));
    this.resize();
    new ResizeObserver(() => this.canvas.isConnected && this.resize()).observe(this.canvas.parentElement);
    view.on(['tile'], () => this.resize());
    view.on(['time', 'moment'], () => this.paint());
    view.on(['theme'], () => { this.painter.dye(); this.paint(); });
  }

  choose(index) {
    this.overview = this.overviews[index];
    this.resize();
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth || 900;
    Object.assign(this, layout(this.view, this.overview), {width, ratio: Math.min(2, devicePixelRatio || 1)});
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.canvas.style.height = `${this.height}px`;
    if (!this.painter.work) this.painter.dye();
    this.paint();
  }

  get room() { return Math.max(50, this.width - LABELS); }
  cycleAt(x) { return this.view.from + (x - LABELS) / this.room * (this.view.to - this.view.from); }
  rowAt(y) { return this.rows.find((row) => y >= row.top && y < row.top + row.height); }

  paint() {
    const {canvas, ratio, view, width} = this, context = canvas.getContext('2d');
    const inside = Math.round(this.room * ratio), image = context.createImageData(inside, canvas.height);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    this.painter.paint(new Uint32Array(image.data.buffer), inside, this.rows, ratio, view.from, view.to);
    context.putImageData(image, Math.round(LABELS * ratio), 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.axis(context);
    this.labels(context);
    context.save();
    context.beginPath();
    context.rect(LABELS, 0, this.room, this.height);
    context.clip();
    context.translate(LABELS, 0);
    if (this.drawsPath?.checked) drawPath(context, this.rows, this.run, this.room, view.from, view.to);
    if (view.moment) {
      const [a, b] = view.moment.map((cycle) => (cycle - view.from) / (view.to - view.from) * this.room);
      context.fillStyle = colour('moment');
      context.fillRect(a, 0, Math.max(2, b - a), this.height);
    }
    context.restore();
    const us = (view.to - view.from) / this.run.json.clock_mhz;
    this.said.textContent = `Cycles ${grouped(view.from)} to ${grouped(view.to)}${this.run.exact ? `, ${us.toFixed(2)} µs` : ''}; tile ${view.tile.name}; ${grouped(this.run.spans)} stretches and ${grouped(this.run.packetCount)} packets in all.`;
    this.painted = (this.painted ?? 0) + 1;
  }

  axis(context) {
    const {from, to} = this.view, step = niceStep((to - from) / Math.max(2, this.room / 110));
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    for (let cycle = Math.ceil(from / step) * step; cycle <= to; cycle += step) {
      const x = LABELS + (cycle - from) / (to - from) * this.room;
      context.fillStyle = colour('rule');
      context.fillRect(x, AXIS - 5, 1, 5);
      context.fillStyle = colour('quiet');
      if (x > LABELS + 24 && x < this.width - 24) context.fillText(grouped(cycle), x, AXIS - 9);
    }
    context.textAlign = 'left';
    context.fillStyle = colour('quiet');
    context.fillText('cycle', 2, AXIS - 9);
  }

  labels(context) {
    let free = 0;
    for (const row of this.rows) {
      const chosen = row.isTile && row.tile === this.view.tile;
      if (chosen) {
        context.fillStyle = colour('accent');
        context.fillRect(LABELS - 4, row.top, 3, row.height - 1);
      }
      if (row.kind === 'heading') {
        context.font = '600 12px system-ui, sans-serif';
        context.fillStyle = colour('ink');
        context.fillText(row.label, 2, row.top + 17);
        free = row.top + row.height;
        continue;
      }
      if (row.top + row.height / 2 - 5 < free) continue;  // rows that are lower than their names
      context.font = '11px system-ui, sans-serif';
      context.fillStyle = colour(chosen ? 'ink' : 'quiet');
      context.fillText(row.label, 2, row.top + row.height / 2 + 3.5, LABELS - 8);
      free = row.top + row.height / 2 + 6;
    }
  }

  zoom(factor, at = (this.view.from + this.view.to) / 2) {
    this.view.look(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }

  wheel(event) {
    if (event.clientX - this.canvas.getBoundingClientRect().left < LABELS) return;
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.shift(event.deltaX / this.room);
    else this.zoom(1.002 ** event.deltaY, this.cycleAt(event.offsetX));
  }

  shift(part) {
    const {from, to} = this.view;
    this.view.look(from + part * (to - from), to + part * (to - from));
  }

  key(event) {
    const {acting} = this.run, i = acting.indexOf(this.view.tile);
    const act = {
      ArrowLeft: () => this.shift(-0.1), ArrowRight: () => this.shift(0.1), '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
      0: () => this.view.look(0, this.run.cycles), Home: () => this.shift(-1e9), End: () => this.shift(1e9),
      ArrowUp: () => this.view.select(acting[Math.max(0, i - 1)]), ArrowDown: () => this.view.select(acting[Math.min(acting.length - 1, i + 1)]),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  press(event) {
    if (event.button !== 0) return;
    this.drag = {x: event.offsetX, from: this.view.from, to: this.view.to, moved: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.drag) return this.hover(event);
    const by = (this.drag.x - event.offsetX) / this.room * (this.drag.to - this.drag.from);
    if (Math.abs(this.drag.x - event.offsetX) > 3) this.drag.moved = true;
    if (this.drag.moved) this.view.look(this.drag.from + by, this.drag.to + by);
  }

  release(event) {
    const {drag} = this;
    this.drag = null;
    if (!drag || drag.moved) return;
    const row = this.rowAt(event.offsetY);
    if (row?.tile) this.view.select(row.tile);
  }

  hover(event) {
    const row = event && event.offsetX >= LABELS ? this.rowAt(event.offsetY) : null;
    const text = row ? says(this.run, row, this.cycleAt(event.offsetX), 2 * (this.view.to - this.view.from) / this.room) : '';
    this.tip.hidden = !text;
    if (!text) return;
    this.tip.textContent = text;
    const right = event.offsetX > this.width / 2;
    Object.assign(this.tip.style, {top: `${event.offsetY + 14}px`, left: right ? 'auto' : `${event.offsetX + 12}px`, right: right ? `${this.width - event.offsetX + 12}px` : 'auto'});
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= least);
}
