// The page of a run: reads it, and makes the panels.
import {readRun} from './data/run.js';
import {byId, h} from './dom.js';
import {counted, grouped} from './numbers.js';
import {CodePanel} from './panels/code.js';
import {FindingsPanel} from './panels/findings.js';
import {Grid} from './panels/grid.js';
import {PathPanel} from './panels/path.js';
import {StallsPanel} from './panels/stalls.js';
import {TilePanel} from './panels/tile.js';
import {TimelinePanel} from './panels/timeline.js';
import {VerdictPanel} from './panels/verdict.js';
import {View} from './view.js';

const PARTS = {grid: 'Grid', timeline: 'Timeline', stalls: 'Stalls', path: 'Path', code: 'Code', findings: 'Findings'};

function theme(changed) {
  const choice = byId('theme');
  const apply = () => {
    document.documentElement.dataset.theme = choice.value;
    changed();
  };
  choice.addEventListener('change', apply);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
}

function facts(run, several) {
  const {json} = run, us = run.cycles / json.clock_mhz;
  const time = run.exact ? `${grouped(run.cycles)} cycles = ${us.toFixed(1)} µs at ${json.clock_mhz} MHz` : `${grouped(run.cycles)} cycles (relaxed timing: one cycle an instruction, not a time)`;
  const found = json.check?.reports?.length;
  return [several ? `chip ${run.chip}, ${json.board}` : json.board, time, `${run.computing.length} of ${counted(run.acting.length, 'tile')} had work`, json.failure ? 'failed' : null,
    found === undefined ? null : counted(found, 'finding')].filter(Boolean).join(' · ');
}

// The panels, of one chip at a time: another one gets new ones, and keeps what was looked at on it.
class Page {
  constructor(chips) {
    this.chips = chips;
    this.several = chips.length > 1;
    this.empty = [...document.querySelector('main').childNodes].map((node) => node.cloneNode(true));
    this.views = chips.map((run) => new View(run, this.several));
    this.choice = byId('chip');
    this.choice.append(...chips.map((run) => h('option', {value: run.chip}, `${run.chip}, ${run.json.board}: ${run.computing.length} of ${counted(run.acting.length, 'tile')}`)));
    this.choice.parentElement.hidden = !this.several;
    this.choice.addEventListener('change', () => this.open(Number(this.choice.value)));
    theme(() => this.view.changed('theme'));
    this.open((chips.find((run) => run.acting.length > 0) ?? chips[0]).chip);
  }

  // Itself, of that chip.
  open(chip) {
    if (this.view?.run.chip === chip) return this;
    if (this.view) {
      if (this.grid.timer) this.grid.stop();
      [...this.tile.plots, this.stalls.plot].forEach((plot) => plot?.destroy());  // they listen to the window
      document.querySelector('main').replaceChildren(...this.empty.map((node) => node.cloneNode(true)));
    }
    const run = this.chips[chip], before = this.view;
    const view = this.view = this.views[chip];
    view.listeners = [];
    if (before) [view.from, view.to] = [before.from, before.to];
    this.choice.value = chip;
    byId('facts').textContent = facts(run, this.several);
    this.code = new CodePanel(byId('code'), view);
    const showLine = (of, index) => this.showLine(of, index);
    const context = {run, view, chips: this.chips, open: (other) => this.open(other)};
    new VerdictPanel(byId('verdict'), context);
    this.grid = new Grid(byId('grid'), view);
    this.tile = new TilePanel(byId('tile'), view, showLine);
    this.timeline = new TimelinePanel(byId('timeline'), view);
    this.stalls = new StallsPanel(byId('stalls'), view);
    new PathPanel(byId('path'), view);
    new FindingsPanel(byId('findings'), context);
    byId('parts').replaceChildren(...[...document.querySelectorAll('main section:not([hidden])[aria-labelledby]')]
      .filter((part) => part.id !== 'tile').map((part) => h('a', {href: `#${part.id}`}, PARTS[part.id])));
    window.kerr = {...window.kerr, run, view, timeline: this.timeline};  // for tests, and whoever is curious
    return this;
  }

  showLine(code, index) {
    this.code.show(code, index);
    byId('code').scrollIntoView({block: 'start'});
  }
}

function show() {
  const element = byId('run');
  const chips = readRun(element.textContent), {json} = chips[0];
  element.remove();
  document.title = json.title;
  byId('title').textContent = json.title;
  byId('made-by').textContent = `Written by ${json.version}. This file fetches nothing.`;
  window.kerr = {page: new Page(chips), ...window.kerr, openedAfter: performance.now()};
}

try {
  show();
} catch (error) {
  const trouble = byId('trouble');
  trouble.hidden = false;
  trouble.textContent = `This report cannot be shown: ${error.message}`;
  console.error(error);
}
