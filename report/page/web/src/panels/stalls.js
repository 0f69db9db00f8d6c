// What harts and threads waited for: over time as a picture, all together as a table.
import uPlot from 'uplot';
import {colour, h, table} from '../dom.js';
import {grouped, percent} from '../numbers.js';
import {familyOf} from '../palette.js';

const BINS = 160, SHOWN = 0.004;

export class StallsPanel {
  constructor(element, view) {
    Object.assign(this, {view, run: view.run});
    const agents = [...new Set(view.run.acting.flatMap((tile) => [...tile.agents.keys()]))].sort((a, b) => a - b);
    this.agents = agents;
    this.agent = agents.find((a) => view.run.json.names.agents[a] === (view.run.exact ? 'T1' : 'BRISC')) ?? agents[0];
    this.box = h('div', {class: 'plot', role: 'img', id: 'stalls-plot'});
    this.sums = h('div', {id: 'stall-sums'});
    element.append(h('h2', {id: 'stalls-heading'}, 'Stalls by reason'), h('div', {class: 'controls'},
      h('label', {}, 'Of ', h('select', {id: 'stall-agent', onchange: (e) => { this.agent = Number(e.target.value); this.paint(); }},
        agents.map((a) => h('option', {value: a, selected: a === this.agent}, view.run.json.names.agents[a])))),
      h('label', {}, 'on ', this.where = h('select', {id: 'stall-where', onchange: () => this.paint()}, h('option', {value: 'all'}, 'all cores that computed'), h('option', {value: 'tile'}, 'the chosen tile')))),
    this.box, this.sums);
    view.on(['tile', 'time', 'theme'], () => this.paint());
    new ResizeObserver(() => this.box.isConnected && this.draw()).observe(this.box);
    this.paint();
  }

  paint() {
    if (this.agent === undefined) return this.sums.replaceChildren(h('p', {}, 'Nothing acted.'));
    const {from, to, tile} = this.view, {reasons, names} = this.run.json;
    const tracks = (this.where.value === 'tile' ? [tile] : this.run.computing).map((t) => t.agents.get(this.agent)).filter(Boolean);
    const bins = Array.from({length: BINS}, () => new Float64Array(reasons.length)), all = new Float64Array(reasons.length);
    const works = new Float64Array(BINS), step = (to - from) / BINS;
    let worked = 0;
    for (const track of tracks) {
      let i = track.firstAfter(from);
      for (let bin = 0; bin < BINS; bin++) {
        const begin = from + bin * step, sums = new Float64Array(reasons.length);
        i = track.addByValue(begin, begin + step, sums, i);
        let waited = 0;
        for (let r = 0; r < sums.length; r++) { bins[bin][r] += sums[r]; all[r] += sums[r]; waited += sums[r]; }
        const length = Math.max(0, Math.min(begin + step, track.last) - Math.max(begin, track.first));
        works[bin] += Math.max(0, length - waited);
        worked += Math.max(0, length - waited);
      }
    }
    const whole = Math.max(1, (to - from) * tracks.length);
    const shown = [...all.keys()].filter((r) => all[r] / whole > SHOWN).sort((a, b) => all[b] - all[a]);
    this.data = {x: Array.from({length: BINS}, (_, i) => from + (i + 0.5) * step), works: works.map((w) => w / (step * Math.max(1, tracks.length))),
      series: shown.map((r) => ({name: reasons[r], values: bins.map((b) => b[r] / (step * Math.max(1, tracks.length)))}))};
    this.sums.replaceChildren(table(`${names.agents[this.agent]}, ${tracks.length === 1 ? 'one tile' : `${tracks.length} tiles`}, share of the time`,
      ['what', {text: 'share', number: true}], [['works', percent(worked / whole)], ...shown.map((r) => [`waits: ${reasons[r]}`, percent(all[r] / whole)])]));
    this.draw();
  }

  // Areas on top of one another: what works lowest.
  draw() {
    const width = this.box.clientWidth;
    if (!this.data || width === 0) return;
    this.plot?.destroy();
    const {x, works, series} = this.data, stacked = [x], labels = [];
    let sum = Array.from(works);
    stacked.push(sum);
    labels.push({label: 'works', tone: 'work', values: Array.from(works)});
    for (const one of series) {
      sum = sum.map((v, i) => v + one.values[i]);
      stacked.push(sum);
      labels.push({label: one.name, tone: familyOf(one.name), values: one.values});
    }
    const axis = {stroke: colour('quiet'), grid: {stroke: colour('rule'), width: 1}, ticks: {stroke: colour('rule'), width: 1}, font: '11px system-ui, sans-serif'};
    // Drawn from the highest to the lowest, each down to the bottom.
    const order = labels.map((_, i) => i).reverse();
    this.plot = new uPlot({
      width, height: 210, cursor: {drag: {x: false, y: false}}, scales: {x: {time: false}, y: {range: [0, 1]}}, legend: {live: true},
      axes: [{...axis, values: (_, ticks) => ticks.map(grouped)}, {...axis, values: (_, ticks) => ticks.map((t) => `${Math.round(100 * t)} %`), size: 54}],
      series: [{label: 'cycle', value: (_, v) => v === null ? '' : grouped(v)}, ...order.map((i) => ({
        label: labels[i].label, fill: colour(labels[i].tone), stroke: colour('page'), width: 0.5, points: {show: false},
        value: (_, v, __, at) => at === null || v === null ? '' : percent(labels[i].values[at]),
      }))],
    }, [stacked[0], ...order.map((i) => stacked[i + 1])], this.box);
    this.box.querySelector('table').setAttribute('aria-label', 'Shares under the pointer');
    this.box.setAttribute('aria-label', `Share of the time by reason: ${labels.map((l) => l.label).join(', ')}. The table below has the sums.`);
  }
}
