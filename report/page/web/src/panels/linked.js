// Text of reports in which tiles and source lines are ways into the page.
import {h} from '../dom.js';

const LINK = /\((\d+),(\d+)\)|([\w./+-]+\.\w+):(\d+)/g;

export function linked(text, {run, view, showLine}) {
  const out = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    const target = match[1] !== undefined ? tileLink(match, run, view) : lineLink(match, run, showLine);
    if (!target) continue;
    out.push(text.slice(from, match.index), target);
    from = match.index + match[0].length;
  }
  out.push(text.slice(from));
  return out;
}

function tileLink([text], run, view) {
  const tile = run.byName.get(text);
  return tile && h('button', {type: 'button', class: 'link', onclick: () => {
    view.select(tile);
    document.getElementById('grid').scrollIntoView({block: 'start'});
  }}, text);
}

function lineLink([text, , , file, line], run, showLine) {
  for (const code of run.json.code) {
    const index = code.lines.findIndex((l) => (l.line === Number(line) && ends(l.file, file)) || (l.inner_line === Number(line) && ends(l.inner_file, file)));
    if (index >= 0) return h('button', {type: 'button', class: 'link', onclick: () => showLine(code, index)}, text);
  }
  return null;
}

const ends = (path, name) => path !== undefined && (path === name || path.endsWith(`/${name}`));
