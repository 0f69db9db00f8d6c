// What is looked at: a tile, a stretch of time, a moment. Panels ask to be told of changes.

export class View {
  // `several`: the run has more chips than this one.
  constructor(run, several = false) {
    this.run = run;
    this.several = several;
    this.tile = run.computing[0] ?? run.acting[0] ?? run.tiles[0];
    this.from = 0;
    this.to = Math.max(1, run.cycles);
    this.moment = null;  // of the slider: a stretch [from, to), or null: all that is looked at
    this.listeners = [];
    this.pending = new Set();
  }

  // `what`: names of tile, time, moment, theme.
  on(what, listener) { this.listeners.push([what, listener]); }

  changed(what) {
    if (this.pending.size === 0) requestAnimationFrame(() => this.tell());
    this.pending.add(what);
  }

  tell() {
    const now = this.pending;
    this.pending = new Set();
    for (const [what, listener] of this.listeners) if (what.some((w) => now.has(w))) listener();
  }

  select(tile) {
    if (!tile || tile === this.tile) return;
    this.tile = tile;
    this.changed('tile');
  }

  look(from, to) {
    const all = Math.max(1, this.run.cycles), length = Math.min(all, Math.max(8, to - from));
    this.from = Math.min(Math.max(0, from), all - length);
    this.to = this.from + length;
    this.moment = null;
    this.changed('time');
  }

  lookAtMoment(from, to) {
    this.moment = from === null ? null : [from, to];
    this.changed('moment');
  }

  // What grid and links are of.
  get stretch() { return this.moment ?? [this.from, this.to]; }
}
