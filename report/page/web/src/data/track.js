// What one hart, thread, unit or link did: spans in order that do not overlap, each with a value.
// Sums over a stretch of time cost the logarithm of their number, sums by value that of what the stretch holds in part.

const BLOCK = 64;

export class Track {
  // Spans [begin[i], end[i]); of an agent `values` are what it waited for, of a link how long packets waited. Of a run
  // most tracks are never looked at: `read` gives {begin, end, values, first, last} when one is.
  constructor(length, read) {
    Object.assign(this, {length, read});
  }

  know(name) {
    const known = this.read();
    for (const each of ['begin', 'end', 'values', 'first', 'last']) Object.defineProperty(this, each, {value: known[each]});
    this.read = null;
    return this[name];
  }

  get begin() { return this.know('begin'); }
  get end() { return this.know('end'); }
  get values() { return this.know('values'); }
  // Of an agent: from its first instruction or wait to its last.
  get first() { return this.know('first'); }
  get last() { return this.know('last'); }

  // The first span that ends behind t.
  firstAfter(t, from = 0) {
    const {end} = this;
    let low = from, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[middle] > t) high = middle;
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
      const {begin, end, length} = this, sums = this.sums = new Float64Array(length + 1);
      for (let i = 0, sum = 0; i < length; i++) sums[i + 1] = sum += end[i] - begin[i];
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
