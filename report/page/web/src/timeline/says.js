// What stands under the pointer, in words.
import {counted, grouped} from '../numbers.js';

const span = (track, i) => `cycles ${grouped(track.begin[i])} to ${grouped(track.end[i])}, ${grouped(track.end[i] - track.begin[i])} in all`;

export function says(run, row, cycle, near) {
  const {reasons, packets} = run.json.names ? {reasons: run.json.reasons, packets: run.json.names.packets} : {};
  if (!row) return '';
  if (row.kind === 'heading') return row.label;
  if (row.kind === 'path') {
    const segment = run.path.find((s) => s.begin <= cycle && cycle < s.end);
    if (!segment) return 'critical path';
    const where = segment.kind === 2 ? `${segment.source.name} to ${segment.tile.name}` : segment.tile.name;
    return `critical path: ${where} ${run.what(segment)}, cycles ${grouped(segment.begin)} to ${grouped(segment.end)}`;
  }
  const who = `${row.tile.name} ${row.isTile ? '' : row.label}`.trim();
  if (row.kind === 'packets') {
    const {n, arrival, way, source, kind, size} = row.packets, lines = [];
    let count = 0;
    for (let i = lowerBound(arrival, n, cycle - near); i < n && arrival[i] <= cycle + near; i++) {
      if (++count <= 4) lines.push(`${packets[kind[i]]} of ${size[i]} bytes from ${run.tiles[source[i]]?.name ?? '?'}, ${grouped(way[i])} cycles on the way, at ${grouped(arrival[i])}`);
    }
    return [`${who}: ${counted(count, 'packet')} here`, ...lines].join('\n');
  }
  const i = row.track.at(cycle);
  if (row.kind !== 'agent') return i < 0 ? `${who}: idle` : `${who}: ${row.kind === 'link' ? 'packets' : 'busy'}, ${span(row.track, i)}`;
  if (i >= 0) return `${who} waits: ${reasons[row.track.values[i]]}, ${span(row.track, i)}`;
  return cycle >= row.track.first && cycle < row.track.last ? `${who} works` : `${who} has done nothing yet, or nothing more`;
}

function lowerBound(list, n, value) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}
