// Numbers as a person reads them.
export const grouped = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
export const percent = (share) => `${(100 * share).toFixed(1)} %`;
export const bytes = (n) => n >= 1 << 20 ? `${(n / (1 << 20)).toFixed(1)} MiB` : n >= 1024 ? `${(n / 1024).toFixed(1)} KiB` : `${n} B`;
export const hex = (n) => `0x${n.toString(16)}`;
// The last part of a path.
export const leaf = (path) => path.split('/').pop();
export const counted = (n, what) => `${grouped(n)} ${what}${n === 1 ? '' : 's'}`;
