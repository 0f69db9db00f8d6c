// Text of reports in which tiles and source lines are ways into the page.
import {h} from '../dom.js';

const LINK = /(?:chip (\d+) )?\((\d+),(\d+)\)|([\w./+-]+\.\w+):(\d+)/g;

// `chip`: of tiles that are named without one.
export function linked(text, context, chip = context.run.chip) {
  const out = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    const target = match[2] !== undefined ? tileLink(match, context, chip) : lineLink(match, context);
    if (!target) continue;
    out.push(text.slice(from, match.index), target);
    from = match.index + match[0].length;
  }
  out.push(text.slice(from));
  return out;
}

function tileLink([text, named, x, y], context, chip) {
  const of = named === undefined ? chip : Number(named), tile = context.chips[of]?.byName.get(`(${x},${y})`);
  return tile && h('button', {type: 'button', class: 'link', onclick: () => {
    context.open(of).view.select(tile);
    document.getElementById('grid').scrollIntoView({block: 'start'});
  }}, text);
}

function lineLink([text, , , , file, line], {run, chips, open}) {
  for (const one of [run, ...chips.filter((other) => other !== run)]) {
    for (const code of one.json.code) {
      const index = code.lines.findIndex((l) => (l.line === Number(line) && ends(l.file, file)) || (l.inner_line === Number(line) && ends(l.inner_file, file)));
      if (index >= 0) return h('button', {type: 'button', class: 'link', onclick: () => open(one.chip).showLine(code, index)}, text);
    }
  }
  return null;
}

const ends = (path, name) => path !== undefined && (path === name || path.endsWith(`/${name}`));
