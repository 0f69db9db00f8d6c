// What is drawn in which colour. Names of the style sheet's variables, one family for each kind of cause.
import {colour} from './dom.js';

const FAMILIES = [
  [/^no instruction$|^room in FIFO$/, 'wait-feed'],
  [/^Src[AB]$|^Dst$|^LReg$/, 'wait-source'],
  [/^wait gate$|^unit$|^coprocessor$/, 'wait-unit'],
  [/^semaphore$|^mutex$/, 'wait-semaphore'],
  [/^NoC$/, 'wait-noc'],
  [/^DRAM$/, 'wait-dram'],
  [/buffer|^stream$/, 'wait-buffer'],
  [/^L1$/, 'wait-l1'],
];
export const FAMILY_NAMES = {
  'work': 'works', 'busy': 'unit busy', 'wait-feed': 'no instruction, FIFO full', 'wait-source': 'SrcA, SrcB, Dst, LReg',
  'wait-unit': 'gate, unit, coprocessor', 'wait-semaphore': 'semaphore, mutex', 'wait-noc': 'NoC', 'wait-dram': 'DRAM',
  'wait-buffer': 'circular buffer', 'wait-l1': 'L1', 'wait-other': 'delay, other',
};
export const familyOf = (reason) => FAMILIES.find(([pattern]) => pattern.test(reason))?.[1] ?? 'wait-other';

// 0xAABBGGRR, as ImageData wants it.
export function packedColour(name) {
  const [, r, g, b] = /^#(..)(..)(..)$/.exec(colour(name)) ?? [0, '88', '88', '88'];
  return (255 << 24 | parseInt(b, 16) << 16 | parseInt(g, 16) << 8 | parseInt(r, 16)) >>> 0;
}

// From nothing to all: a share as a colour, in the theme of the page.
export function heat() {
  const stops = [0, 1, 2, 3, 4].map((i) => colour(`heat-${i}`).match(/[0-9a-f]{2}/gi).map((x) => parseInt(x, 16)));
  return (value) => {
    const at = Math.min(1, Math.max(0, value)) * 4, i = Math.min(3, Math.floor(at)), f = at - i;
    return `rgb(${stops[i].map((c, k) => Math.round(c + f * (stops[i + 1][k] - c))).join(',')})`;
  };
}
