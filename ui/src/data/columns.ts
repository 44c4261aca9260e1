// Reads column sets: the bytes of slices, counters and links (docs/page.md draws the format).

const magic = 0x31434154; // "TAC1"

export type Column = Float64Array | Int32Array | Uint8Array;

/** Values below 2^53, seven bits per byte, lowest first. */
function readVarints(bytes: Uint8Array, out: Float64Array): void {
  let at = 0;
  for (let i = 0; i < out.length; ++i) {
    let byte = bytes[at++];
    if (byte < 128) {
      out[i] = byte;
      continue;
    }
    let value = byte & 127;
    let scale = 128;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte >= 128);
    out[i] = value;
  }
  if (at !== bytes.length) throw new Error('A column is not as long as it says.');
}

/** 0, 1, 2, 3 are 0, -1, 1, -2. In place. */
function undoZigzag(values: Float64Array): void {
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    values[i] = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }
}

/** Turns differences into values, in place. */
function addUp(values: Float64Array): void {
  let sum = 0;
  for (let i = 0; i < values.length; ++i) values[i] = sum += values[i];
}

/** Byte planes: the lowest bytes of all values, then the next ones. */
function readPlanes(bytes: Uint8Array, out: Float64Array): void {
  const {length} = out;
  if (length === 0) return;
  const planes = bytes.length / length;
  if (!Number.isInteger(planes)) throw new Error('A column is not as long as it says.');
  let scale = 1;
  for (let plane = 0; plane < planes; ++plane, scale *= 256) {
    const base = plane * length;
    for (let i = 0; i < length; ++i) out[i] += bytes[base + i] * scale;
  }
}

function readColumn(type: number, bytes: Uint8Array, count: number): Column {
  if (type === 3) return bytes.slice();
  if (type === 0) return new Float64Array(bytes.slice().buffer, 0, count);
  const out = new Float64Array(count);
  if (type >= 4) readPlanes(bytes, out);
  else readVarints(bytes, out);
  if (type === 2 || type >= 5) undoZigzag(out);
  if (type === 2 || type === 5) addUp(out);
  return out;
}

export function readColumns(buffer: ArrayBuffer): Map<string, Column> {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, true) !== magic) throw new Error('These are not columns of Tactus.');
  const columns = new Map<string, Column>();
  let at = 8;
  for (let left = view.getUint32(4, true); left > 0; --left) {
    const nameBytes = view.getUint32(at, true);
    const name = new TextDecoder().decode(new Uint8Array(buffer, at + 4, nameBytes));
    at += 4 + nameBytes;
    const type = view.getUint8(at);
    const count = view.getUint32(at + 4, true);
    const bytes = view.getUint32(at + 8, true);
    columns.set(name, readColumn(type, new Uint8Array(buffer, at + 12, bytes), count));
    at = (at + 12 + bytes + 3) & ~3;
  }
  return columns;
}
