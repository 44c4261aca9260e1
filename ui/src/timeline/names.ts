// Search over many names: one long lower-case text per chunk, so that the browser's own indexOf does the work.

const chunkNames = 20000;

interface Chunk {
  text: string;
  /** Where each name begins; one more at the end. */
  offsets: Int32Array;
  first: number;
}

export class NameSearch {
  private readonly chunks: Chunk[] = [];
  private done = 0;

  constructor(private readonly names: string[]) {}

  /** Makes chunks until the time is used up; true: all are made. Called while the page has nothing else to do. */
  prepare(untilMs = Infinity): boolean {
    while (this.done < this.names.length) {
      if (performance.now() > untilMs) return false;
      const part = this.names.slice(this.done, this.done + chunkNames).map((name) => name.toLowerCase());
      const offsets = new Int32Array(part.length + 1);
      for (let i = 0; i < part.length; ++i) offsets[i + 1] = offsets[i] + part[i].length + 1;
      this.chunks.push({text: part.join('\n'), offsets, first: this.done});
      this.done += part.length;
    }
    return true;
  }

  /** 1 for each name that has the text. */
  find(text: string): {wanted: Uint8Array; found: number} {
    this.prepare();
    const wanted = new Uint8Array(this.names.length);
    const needle = text.toLowerCase();
    let found = 0;
    for (const chunk of this.chunks) {
      let index = 0;
      for (let at = chunk.text.indexOf(needle); at >= 0; at = chunk.text.indexOf(needle, chunk.offsets[index])) {
        index = this.nameAt(chunk.offsets, at, index);
        wanted[chunk.first + index] = 1;
        found++;
        if (++index >= chunk.offsets.length - 1) break;
      }
    }
    return {wanted, found};
  }

  private nameAt(offsets: Int32Array, at: number, from: number): number {
    let low = from,
      high = offsets.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (offsets[middle] <= at) low = middle;
      else high = middle;
    }
    return low;
  }
}
