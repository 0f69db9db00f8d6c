// The critical path: sums of what it did, and its longest segments, each a way into the timeline.
import {h, table} from '../dom.js';
import {grouped, percent} from '../numbers.js';

const LONGEST = 12;

export class PathPanel {
  constructor(element, view) {
    const {run} = view, {path} = run;
    element.append(h('h2', {id: 'path-heading'}, 'Critical path'));
    if (path.length === 0) {
      element.append(h('p', {}, run.exact ? 'No core did anything.' : 'Relaxed cycles are no time: run it with --timing exact to see what it waits for.'));
      return;
    }
    const all = path[path.length - 1].end, sums = new Map();
    for (const segment of path) sums.set(run.what(segment), (sums.get(run.what(segment)) ?? 0) + segment.end - segment.begin);
    element.append(
      h('p', {class: 'quiet'}, `From the hart that finished last back to what it waited for, and so on: ${grouped(all)} cycles, ${grouped(path.length)} segments. What is not on it can become faster without any effect.`),
      table('What it did', ['what', {text: 'cycles', number: true}, {text: 'share', number: true}],
        [...sums].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([what, cycles]) => [what, grouped(cycles), percent(cycles / all)])),
      table('Its longest segments', ['from', 'where', 'what', {text: 'cycles', number: true}],
        [...path].sort((a, b) => (b.end - b.begin) - (a.end - a.begin)).slice(0, LONGEST).sort((a, b) => a.begin - b.begin).map((segment) => [
          h('button', {type: 'button', class: 'link', onclick: () => {
            const margin = (segment.end - segment.begin) / 4;
            view.select(segment.tile);
            view.look(segment.begin - margin, segment.end + margin);
          }}, grouped(segment.begin)),
          segment.kind === 2 ? `${segment.source.name} to ${segment.tile.name}` : segment.tile.name, run.what(segment), grouped(segment.end - segment.begin)])));
  }
}
