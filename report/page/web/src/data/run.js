// The run that the page shows: JSON of report/page/run_shown.hpp, its numbers unpacked.
import {Reader, unpacked} from './bytes.js';
import {Track} from './track.js';

const AGENT = 0, UNIT = 1;
export const WAYS = [['east', 'south', 'into the tile'], ['west', 'north', 'into the tile']];

class Tile {
  constructor(node, json, columns) {
    Object.assign(this, json, {node, column: node % columns, row: Math.floor(node / columns)});
    this.name = `(${json.x},${json.y})`;
    this.agents = new Map();
    this.units = new Map();
    this.links = new Map();
    this.packets = null;
    this.credits = null;
    this.uses = [];
  }

  get acted() { return this.agents.size > 0; }
}

// A property that is read when it is first looked at.
function later(tile, name, numbers, read) {
  Object.defineProperty(tile, name, {configurable: true, get() {
    const value = read(numbers);
    Object.defineProperty(tile, name, {value});
    return value;
  }});
}

function sumsOf(list) {
  for (let i = 1; i < list.length; i++) list[i] += list[i - 1];
  return list;
}

function spansOf(reader, kind, n, Cycles) {
  let first = 0, last = 0;
  if (kind === AGENT) [first, last] = [reader.number(), reader.number()];
  const begin = reader.column(new Cycles(n)), end = reader.column(new Cycles(n));
  for (let i = 0, at = 0; i < n; i++) {
    begin[i] += at;
    at = end[i] += begin[i];
  }
  const values = kind === UNIT ? null : reader.column(kind === AGENT ? new Uint16Array(n) : new Float64Array(n));
  return {begin, end, values, first: n ? Math.min(first, begin[0]) : first, last: n ? Math.max(last, end[n - 1]) : last};
}

function packetsOf(reader, n, Cycles) {
  const arrival = sumsOf(reader.column(new Cycles(n))), way = reader.column(new Float64Array(n)), source = reader.column(new Uint8Array(n));
  return {n, arrival, way, source, kind: reader.column(new Uint8Array(n)), size: reader.column(new Float64Array(n))};
}

function creditsOf(reader, n) {
  const cycle = sumsOf(reader.column(new Float64Array(n)));
  return {n, cycle, which: reader.column(new Uint8Array(n)), value: reader.column(new Float64Array(n))};
}

function usesOf(reader, n, codes) {
  const uses = [];
  for (let use = 0; use < n; use++) {
    const code = codes[reader.number()], places = new Map();
    for (let left = reader.count(), at = 0; left > 0; left--) {
      at += 4 * reader.number();
      places.set(at, {times: reader.number(), cycles: reader.number()});
    }
    uses.push({code, places});
  }
  return uses;
}

// One chip of it.
class Run {
  constructor(json, chip) {
    this.json = json;
    this.chip = chip;
    this.cycles = json.end - json.begin;
    this.exact = json.timing === 'exact';
    this.tiles = json.tiles.map((tile, node) => new Tile(node, tile, json.columns));
    this.byName = new Map(this.tiles.filter((tile) => !tile.off).map((tile) => [tile.name, tile]));
    this.spans = 0;
    const reader = new Reader(unpacked(json.data, json.data_bytes));
    this.Cycles = this.cycles < 2 ** 32 ? Uint32Array : Float64Array;
    this.readTracks(reader);
    this.readPackets(reader);
    this.readPath(reader);
    this.readCredits(reader);
    this.readUses(reader);
    delete json.data;
    this.acting = this.tiles.filter((tile) => tile.acted);
    // Those whose coprocessor did something, else those with the most to tell.
    const computed = this.acting.filter((tile) => tile.units.size > 0);
    const launched = json.launches.length ? this.acting.filter((tile) => json.launches.some((l) => l.nodes.includes(tile.node))) : this.acting;
    this.computing = computed.length ? computed : launched;
  }

  tileAt(node) {
    const tile = this.tiles[node];
    if (!tile) throw new Error('this report names a tile that its grid does not have');
    return tile;
  }

  readTracks(reader) {
    for (let left = reader.count(); left > 0; left--) {
      const kind = reader.number(), tile = this.tileAt(reader.number()), id = reader.number(), n = reader.count();
      const numbers = reader.part(reader.count());
      const track = new Track(n, () => spansOf(numbers, kind, n, this.Cycles));
      this.spans += n;
      (kind === AGENT ? tile.agents : kind === UNIT ? tile.units : tile.links).set(id, track);
    }
  }

  readPackets(reader) {
    this.packetCount = 0;
    for (let left = reader.count(); left > 0; left--) {
      const tile = this.tileAt(reader.number()), n = reader.count();
      tile.packetCount = n;
      later(tile, 'packets', reader.part(reader.count()), (numbers) => packetsOf(numbers, n, this.Cycles));
      this.packetCount += n;
    }
  }

  readPath(reader) {
    const n = reader.count(), columns = [];
    for (let i = 0; i < 6; i++) columns.push(reader.column(new Float64Array(n)));
    const [length, kind, node, source, agent, reason] = columns;
    this.path = [];
    // It ends with the hart that was busy last, and has no gaps.
    let begin = 0;
    for (let i = 0; i < n; i++) {
      this.path.push({begin, end: begin + length[i], kind: kind[i], tile: this.tileAt(node[i]), source: this.tileAt(source[i]), agent: agent[i], reason: reason[i]});
      begin += length[i];
    }
  }

  readCredits(reader) {
    for (let left = reader.count(); left > 0; left--) {
      const tile = this.tileAt(reader.number()), n = reader.count();
      later(tile, 'credits', reader.part(reader.count()), (numbers) => creditsOf(numbers, n));
    }
  }

  readUses(reader) {
    for (let left = reader.count(); left > 0; left--) {
      const tile = this.tileAt(reader.number()), n = reader.count();
      later(tile, 'uses', reader.part(reader.count()), (numbers) => usesOf(numbers, n, this.json.code));
    }
  }

  // "waits: SrcA", "works", "packet from (1,2)"
  what(segment) {
    const agent = this.json.names.agents[segment.agent];
    if (segment.kind === 0) return `${agent} works`;
    if (segment.kind === 1) return `${agent} waits: ${this.json.reasons[segment.reason]}`;
    return 'packet to another tile';
  }

  linkName(tile, id) {
    const noc = Math.floor(id / 3);
    return `NoC ${noc} ${tile.name} ${WAYS[noc][id % 3]}`;
  }
}

// The chips of a run: what they share stands in the JSON of the first.
export function readRun(text) {
  const {more_chips: more = [], ...first} = JSON.parse(text);
  return [first, ...more.map((chip) => ({...first, ...chip}))].map((json, i) => new Run(json, i));
}
