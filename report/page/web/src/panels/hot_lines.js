// Places of code, added up by the source line that they are from.
import {leaf} from '../numbers.js';

export function lineName(line) {
  const at = (file, number) => `${leaf(file)}:${number}`;
  if (!line) return 'no line known';
  if (!line.file) return line.function || 'no line known';
  return line.inner_file ? `${at(line.inner_file, line.inner_line)} of ${at(line.file, line.line)}` : at(line.file, line.line);
}

// `places`: by offset, times and cycles of each. The hottest first.
export function hotLines(code, places) {
  code.lineOf ??= new Map(code.places.map(([offset, , line]) => [offset, line]));
  const sums = new Map();
  for (const [offset, {times, cycles}] of places) {
    const index = code.lineOf.get(offset) ?? -1;
    const sum = sums.get(index) ?? {code, index, name: lineName(code.lines[index]), times: 0, cycles: 0};
    sum.times = Math.max(sum.times, times);
    sum.cycles += cycles;
    sums.set(index, sum);
  }
  return [...sums.values()].sort((a, b) => b.cycles - a.cycles);
}

export const allPlaces = (code) => new Map(code.places.map(([offset, , , times, cycles]) => [offset, {times, cycles}]));
