// The rows of the timeline, from top to bottom, each with what it draws.

export const AXIS = 22;

function row(kind, height, label, more) { return {kind, height, label, ...more}; }

// `overview`: what the row of each tile shows.
export function layout(view, overview) {
  const {run, tile} = view, rows = [];
  if (run.path.length) rows.push(row('path', 16, 'critical path', {}));
  rows.push(row('heading', 24, `tile ${tile.name}`, {}));
  for (const [agent, track] of tile.agents) rows.push(row('agent', 15, run.json.names.agents[agent], {track, tile, agent}));
  for (const [unit, track] of tile.units) rows.push(row('unit', 15, run.json.names.units[unit], {track, tile}));
  if (tile.packetCount) rows.push(row('packets', 22, 'packets in', {tile, packets: tile.packets}));
  const links = [...tile.links].sort(([a], [b]) => a - b);
  for (const [id, track] of links) rows.push(row('link', 12, run.linkName(tile, id).replace(` ${tile.name}`, ''), {track, tile}));
  const tiles = overview.tiles;
  rows.push(row('heading', 24, `${overview.name} of all tiles`, {}));
  const height = Math.max(5, Math.min(13, Math.floor(420 / Math.max(1, tiles.length))));
  for (const one of tiles) {
    const track = overview.track(one);
    rows.push(row(overview.agent ? 'agent' : 'unit', height, one.name, {track, tile: one, agent: overview.agent, isTile: true}));
  }
  let top = AXIS;
  for (const one of rows) {
    one.top = top;
    top += one.height;
  }
  return {rows, height: top + 4};
}

// What the rows of all tiles may show.
export function overviews(run) {
  const {names} = run.json, all = [];
  const units = new Set(run.acting.flatMap((tile) => [...tile.units.keys()]));
  const agents = new Set(run.acting.flatMap((tile) => [...tile.agents.keys()]));
  for (const unit of [...units].sort((a, b) => a - b))
    all.push({name: names.units[unit], tiles: run.acting.filter((t) => t.units.has(unit)), track: (t) => t.units.get(unit)});
  for (const agent of [...agents].sort((a, b) => a - b))
    all.push({name: names.agents[agent], agent, tiles: run.acting.filter((t) => t.agents.has(agent)), track: (t) => t.agents.get(agent)});
  return all;
}
