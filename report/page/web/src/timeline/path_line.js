// The critical path through the rows: along the row of the tile that it is at, and from row to row where it goes on.
import {colour} from '../dom.js';

// Of long paths no more than a line for each column of pixels.
export function drawPath(context, rows, run, width, from, to) {
  const byTile = new Map(rows.filter((row) => row.isTile).map((row) => [row.tile, row]));
  const x = (cycle) => (cycle - from) / (to - from) * width;
  const middle = (row) => row.top + row.height / 2;
  context.save();
  context.beginPath();
  let open = false, at = -1;
  for (const segment of run.path) {
    if (segment.end < from || segment.begin > to) continue;
    const row = byTile.get(segment.tile);
    if (!row) { open = false; continue; }
    const begin = Math.max(-10, x(segment.begin)), end = Math.min(width + 10, x(segment.end));
    if (open && end < at + 1) continue;
    if (!open) context.moveTo(begin, middle(row));
    else context.lineTo(begin, middle(row));
    context.lineTo(end, middle(row));
    open = true;
    at = end;
  }
  context.lineJoin = 'round';
  context.strokeStyle = colour('page');
  context.lineWidth = 4;
  context.stroke();
  context.strokeStyle = colour('path');
  context.lineWidth = 2;
  context.stroke();
  // Where it passes through what the chosen tile's agents did.
  for (const row of rows) {
    if (row.kind !== 'agent' || row.isTile) continue;
    let last = -1;
    for (const segment of run.path) {
      if (segment.tile !== row.tile || segment.agent !== row.agent || segment.kind === 2) continue;
      const begin = x(segment.begin), end = x(segment.end);
      if (end < 0 || begin > width || end < last + 0.5) continue;
      context.fillStyle = colour('path');
      context.fillRect(begin, row.top + row.height - 3, Math.max(1, end - begin), 2);
      last = end;
    }
  }
  context.restore();
}
