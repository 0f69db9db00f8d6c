// The packed numbers of a run: report/page/packed.hpp.
import {decompress} from 'fzstd';

const MOST = 2 ** 31;

// `size`: of what comes out.
export function unpacked(text, size) {
  if (!(size >= 0 && size < MOST)) throw new Error('the numbers of this report are too many');
  return decompress(fromBase64(text), new Uint8Array(size));
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  number() {
    const {bytes} = this;
    let byte = bytes[this.at++];
    if (byte < 0x80) return byte;
    let value = byte & 0x7f, scale = 0x80;
    do {
      byte = bytes[this.at++];
      if (byte === undefined) throw new Error('the numbers of this report end too early');
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  // How many elements follow; each takes a byte at least.
  count() {
    const n = this.number();
    if (!(n <= this.bytes.length - this.at)) throw new Error('the numbers of this report end too early');
    return n;
  }

  // A reader of the next so many bytes, which are passed over.
  part(size) {
    const reader = new Reader(this.bytes.subarray(this.at, this.at + size));
    this.at += size;
    return reader;
  }

  column(into) {
    const {bytes} = this, n = into.length;
    let {at} = this;
    for (let i = 0; i < n; i++) {
      const byte = bytes[at];
      if (byte < 0x80) {
        into[i] = byte;
        at++;
      } else {
        this.at = at;
        into[i] = this.number();
        at = this.at;
      }
    }
    if (at > bytes.length) throw new Error('the numbers of this report end too early');
    this.at = at;
    return into;
  }
}
