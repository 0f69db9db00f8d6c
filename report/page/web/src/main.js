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

function theme(view) {
  const choice = byId('theme');
  const apply = () => {
    document.documentElement.dataset.theme = choice.value;
    view.changed('theme');
  };
  choice.addEventListener('change', apply);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
}

function facts(run) {
  const {json} = run, us = run.cycles / json.clock_mhz;
  const time = run.exact ? `${grouped(run.cycles)} cycles = ${us.toFixed(1)} µs at ${json.clock_mhz} MHz` : `${grouped(run.cycles)} cycles (relaxed timing: one cycle an instruction, not a time)`;
  const found = json.check?.reports?.length;
  return [json.board, time, `${run.computing.length} of ${counted(run.acting.length, 'tile')} had work`, json.failure ? 'failed' : null,
    found === undefined ? null : counted(found, 'finding')].filter(Boolean).join(' · ');
}

function show() {
  const element = byId('run');
  const run = readRun(element.textContent);
  element.remove();
  document.title = run.json.title;
  byId('title').textContent = run.json.title;
  byId('facts').textContent = facts(run);
  byId('made-by').textContent = `Written by ${run.json.version}. This file fetches nothing.`;
  const view = new View(run);
  theme(view);
  const code = new CodePanel(byId('code'), view);
  const showLine = (of, index) => {
    code.show(of, index);
    byId('code').scrollIntoView({block: 'start'});
  };
  const context = {run, view, showLine};
  new VerdictPanel(byId('verdict'), context);
  new Grid(byId('grid'), view);
  new TilePanel(byId('tile'), view, showLine);
  const timeline = new TimelinePanel(byId('timeline'), view);
  new StallsPanel(byId('stalls'), view);
  new PathPanel(byId('path'), view);
  new FindingsPanel(byId('findings'), context);
  byId('parts').append(...[...document.querySelectorAll('main section:not([hidden])[aria-labelledby]')]
    .filter((part) => part.id !== 'tile').map((part) => h('a', {href: `#${part.id}`}, {grid: 'Grid', timeline: 'Timeline', stalls: 'Stalls', path: 'Path', code: 'Code', findings: 'Findings'}[part.id])));
  window.kerr = {run, view, timeline, openedAfter: performance.now()};  // for tests, and whoever is curious
}

try {
  show();
} catch (error) {
  const trouble = byId('trouble');
  trouble.hidden = false;
  trouble.textContent = `This report cannot be shown: ${error.message}`;
  console.error(error);
}
