// What one hart, thread, unit or link did: spans in order that do not overlap, each with a value.
// Sums over a stretch of time cost the logarithm of their number, sums by value that of what the stretch holds in part.

const BLOCK = 64;

export class Track {
  // spans [begin[i], end[i]); of an agent `values` are what it waited for, of a link how long packets waited.
  constructor(node, id, begin, end, values) {
    Object.assign(this, {node, id, begin, end, values});
  }

  get length() { return this.begin.length; }

  // The first span that ends behind t.
  firstAfter(t, from = 0) {
    let low = from, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  at(t) {
    const i = this.firstAfter(t);
    return i < this.length && this.begin[i] <= t ? i : -1;
  }

  // How much of [from, to) lies in spans.
  busy(from, to) { return this.until(to) - this.until(from); }

  until(t) {
    if (!this.sums) {
      this.sums = new Float64Array(this.length + 1);
      for (let i = 0; i < this.length; i++) this.sums[i + 1] = this.sums[i] + this.end[i] - this.begin[i];
    }
    const i = this.firstAfter(t);
    return this.sums[i] + (i < this.length ? Math.max(0, t - this.begin[i]) : 0);
  }

  // Adds to sums[value] how much of [from, to) lies in spans of that value. `i`: where to begin, firstAfter(from) at the
  // latest. Returns where to begin for what follows.
  addByValue(from, to, sums, i = this.firstAfter(from)) {
    const {begin, end, values, length} = this;
    while (i < length && begin[i] < to) {
      if (end[i] <= from) {
        i++;
      } else if (i % BLOCK === 0 && i + BLOCK <= length && begin[i] >= from && end[i + BLOCK - 1] <= to) {
        const blocks = this.blocks(sums.length), row = i / BLOCK * sums.length;
        for (let v = 0; v < sums.length; v++) sums[v] += blocks[row + v];
        i += BLOCK;
      } else {
        sums[values[i]] += Math.min(end[i], to) - Math.max(begin[i], from);
        i++;
      }
    }
    return i > 0 ? i - 1 : 0;  // the last one may reach further
  }

  // Sums of BLOCK spans each, by value.
  blocks(kinds) {
    if (!this.blockSums) {
      this.blockSums = new Float64Array(Math.floor(this.length / BLOCK) * kinds);
      for (let i = 0; i < this.length - this.length % BLOCK; i++)
        this.blockSums[Math.floor(i / BLOCK) * kinds + this.values[i]] += this.end[i] - this.begin[i];
    }
    return this.blockSums;
  }
}
