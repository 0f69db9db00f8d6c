// The code that ran: source lines by the time that they took, their instructions, and the Tensix words that they pushed.
import {h} from '../dom.js';
import {counted, grouped, hex, leaf, percent} from '../numbers.js';
import {allPlaces, hotLines} from './hot_lines.js';

const LINES = 40, PLACES = 60, WORDS = 12;

export class CodePanel {
  constructor(element, view) {
    Object.assign(this, {view, run: view.run});
    const weight = (code) => code.places.reduce((sum, place) => sum + place[4], 0);
    const rank = {kernel: 0, firmware: 1, unknown: 2};
    this.codes = this.run.json.code.map((code) => ({code, cycles: weight(code)})).sort((a, b) => rank[a.code.kind] - rank[b.code.kind] || b.cycles - a.cycles).map((c) => c.code);
    this.choose = h('select', {id: 'kernel', onchange: () => this.show(this.codes[this.choose.value])},
      this.codes.map((code, i) => h('option', {value: i}, `${leaf(code.name)} · ${code.hart}${code.kind === 'kernel' ? '' : ` · ${code.kind === 'unknown' ? 'nobody said what' : code.kind}`}`)));
    this.body = h('div', {});
    element.append(h('h2', {id: 'code-heading'}, 'Where the time of the code goes'), h('div', {class: 'controls'}, h('label', {}, 'Kernel ', this.choose)), this.body);
    if (this.codes.length) this.show(this.codes[0]);
    else this.body.append(h('p', {}, 'No code ran.'));
  }

  show(code, open) {
    this.choose.value = this.codes.indexOf(code);
    const lines = hotLines(code, allPlaces(code)), all = lines.reduce((sum, line) => sum + line.cycles, 0) || 1;
    this.body.replaceChildren(
      h('p', {class: 'quiet'}, `${code.name} on ${code.hart} of ${counted(code.tiles, 'tile')}: ${counted(code.places.length, 'instruction')} of it ran. `
        + 'Cycles count until the next instruction of the hart, so with what it waits; they are of the whole run and of all tiles.'),
      h('div', {class: 'code'}, lines.slice(0, LINES).map((line) => this.line(code, line, all, line.index === open))),
      lines.length > LINES ? h('p', {class: 'quiet'}, `and ${counted(lines.length - LINES, 'line')} that took less`) : '');
  }

  line(code, line, all, open) {
    const places = code.places.filter((place) => place[2] === line.index);
    const at = new Set(places.map((place) => place[0]));
    const words = sumsByText(code.words.filter((word) => at.has(word[0])));
    const of = code.lines[line.index], text = of?.text;
    const summary = h('summary', {}, h('span', {class: 'share'}, h('i', {class: 'bar'}), percent(line.cycles / all)), h('span', {class: 'where'}, line.name),
      h('span', {class: 'what'}, text ?? (of?.function ? `in ${of.function}` : '')));
    summary.querySelector('.bar').style.width = `${(100 * line.cycles / all).toFixed(2)}%`;
    const details = h('details', {open}, summary);
    // Long listings are made when they are wanted.
    const fill = () => {
      if (details.dataset.filled) return;
      details.dataset.filled = 'yes';
      details.append(this.listing(places, words));
    };
    details.addEventListener('toggle', () => details.open && fill());
    if (open) {
      fill();
      requestAnimationFrame(() => details.scrollIntoView({block: 'center'}));
    }
    return details;
  }

  listing(places, words) {
    const row = ([offset, text, , times, cycles]) => h('tr', {}, h('td', {class: 'number'}, hex(offset)), h('td', {class: 'mono'}, text), h('td', {class: 'number'}, grouped(times)), h('td', {class: 'number'}, grouped(cycles)));
    const word = ([text, {times, busy}]) => h('tr', {}, h('td', {class: 'mono'}, text), h('td', {class: 'number'}, grouped(times)), h('td', {class: 'number'}, this.run.exact ? grouped(busy) : ''));
    const head = (...names) => h('thead', {}, h('tr', {}, names.map(([name, number]) => h('th', {scope: 'col', class: number ? 'number' : null}, name))));
    return h('div', {class: 'listing'},
      h('table', {}, h('caption', {}, 'Instructions'), head(['at', 1], ['instruction'], ['times', 1], ['cycles', 1]), h('tbody', {}, places.slice(0, PLACES).map(row))),
      words.length ? h('table', {}, h('caption', {}, `Tensix words that it pushed${words.length > WORDS ? `, the first ${WORDS} of ${words.length}` : ''}`), head(['word'], ['times', 1], ['unit cycles', 1]), h('tbody', {}, words.slice(0, WORDS).map(word))) : '');
  }
}

// The same word may be pushed at several places of a line. The most frequent first.
function sumsByText(words) {
  const sums = new Map();
  for (const [, text, times, busy] of words) {
    const sum = sums.get(text) ?? {times: 0, busy: 0};
    sum.times += times;
    sum.busy += busy;
    sums.set(text, sum);
  }
  return [...sums].sort((a, b) => b[1].times - a[1].times);
}
