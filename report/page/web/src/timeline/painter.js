// Draws rows, pixel column by pixel column: each shows, from below, the shares of what happened in its stretch of time.
// So a million spans cost no more than the columns that they fall into, and a single one is a block.
import {familyOf, packedColour} from '../palette.js';

export class Painter {
  constructor(run) {
    this.run = run;
    this.sums = new Float64Array(Math.max(1, run.json.reasons.length));
  }

  // Colours, when the theme has changed.
  dye() {
    this.waits = Uint32Array.from(this.run.json.reasons, (reason) => packedColour(familyOf(reason)));
    [this.work, this.busy, this.none, this.packet] = ['work', 'busy', 'lane', 'wait-noc'].map(packedColour);
    this.segments = ['work', 'wait-l1', 'path-packet'].map(packedColour);
    this.path = packedColour('path');
  }

  // `pixels`: of the whole canvas; rows and width in its pixels.
  paint(pixels, width, rows, ratio, from, to) {
    for (const row of rows) {
      const top = Math.round(row.top * ratio), bottom = Math.round((row.top + row.height - (row.height > 7 ? 2 : 1)) * ratio);
      const lane = {pixels, width, top, bottom, from, step: (to - from) / width};
      if (row.kind === 'agent') this.agent(lane, row.track);
      else if (row.kind === 'unit' || row.kind === 'link') this.unit(lane, row.track);
      else if (row.kind === 'packets') this.packets(lane, row.packets);
      else if (row.kind === 'path') this.pathLane(lane);
    }
  }

  // One column of a lane, [low, high) of its height from below.
  fill({pixels, width, top, bottom}, x, low, high, colour) {
    const first = bottom - Math.round(high * (bottom - top)), last = bottom - Math.round(low * (bottom - top));
    for (let y = first, at = first * width + x; y < last; y++, at += width) pixels[at] = colour;
  }

  unit(lane, track) {
    let {from} = lane, before = track.until(from);
    for (let x = 0; x < lane.width; x++) {
      from += lane.step;
      const now = track.until(from), share = (now - before) / lane.step;
      before = now;
      this.fill(lane, x, 0, 1, this.none);
      if (share > 0) this.fill(lane, x, 0, Math.max(share, 0.12), this.busy);
    }
  }

  agent(lane, track) {
    const {sums, waits} = this, {step} = lane;
    let i = track.firstAfter(lane.from);
    for (let x = 0; x < lane.width; x++) {
      const from = lane.from + x * step, to = from + step;
      this.fill(lane, x, 0, 1, this.none);
      if (to <= track.first || from >= track.last) continue;
      sums.fill(0);
      i = track.addByValue(from, to, sums, i);
      let waited = 0;
      for (let r = 0; r < sums.length; r++) waited += sums[r];
      const length = Math.min(to, track.last) - Math.max(from, track.first);
      let low = Math.max(0, length - waited) / step;
      if (low > 0.004) this.fill(lane, x, 0, low, this.work);
      for (let r = 0; r < sums.length; r++) {
        if (sums[r] === 0) continue;
        const high = low + sums[r] / step;
        this.fill(lane, x, low, Math.min(1, high), waits[r]);
        low = high;
      }
    }
  }

  // How many came in each column; a bar of half the height is one.
  packets(lane, {arrival, n}) {
    let low = 0, high = n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (arrival[middle] >= lane.from) high = middle;
      else low = middle + 1;
    }
    for (let x = 0, i = low; x < lane.width; x++) {
      const to = lane.from + (x + 1) * lane.step, before = i;
      while (i < n && arrival[i] < to) i++;
      this.fill(lane, x, 0, 1, this.none);
      if (i > before) this.fill(lane, x, 0, 1 - 0.5 / (i - before), this.packet);
    }
  }

  pathLane(lane) {
    const {path} = this.run;
    for (let x = 0; x < lane.width; x++) this.fill(lane, x, 0, 1, this.none);
    for (const segment of path) {
      const first = Math.floor((segment.begin - lane.from) / lane.step), last = Math.ceil((segment.end - lane.from) / lane.step);
      for (let x = Math.max(0, first); x < Math.min(lane.width, last); x++) this.fill(lane, x, 0, 1, this.segments[segment.kind]);
    }
  }
}
