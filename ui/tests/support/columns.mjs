// Writes column sets, the format of slices, counters and links (see docs/page.md).

const magic = 0x31434154; // "TAC1"

function varints(values, out) {
  for (let value of values) {
    while (value >= 128) {
      out.push((value % 128) + 128);
      value = Math.floor(value / 128);
    }
    out.push(value);
  }
  return out;
}

function differences(values) {
  let before = 0;
  return values.map((value) => {
    const difference = value - before;
    before = value;
    return difference < 0 ? -2 * difference - 1 : 2 * difference;
  });
}

function bytesOf(type, values) {
  if (type === 0) return Buffer.from(new Float64Array(values).buffer);
  if (type === 1) return Buffer.from(varints(values, []));
  if (type === 2) return Buffer.from(varints(differences(values), []));
  return Buffer.from(values);
}

/** columns: [name, type, values] */
export function columnSet(columns) {
  const u32 = (value) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const parts = [u32(magic), u32(columns.length)];
  for (const [name, type, values] of columns) {
    const data = bytesOf(type, values);
    const label = Buffer.from(name);
    const head = 4 + label.length + 4 + 8;
    parts.push(u32(label.length), label, Buffer.from([type, 0, 0, 0]), u32(values.length), u32(data.length), data);
    parts.push(Buffer.alloc((4 - ((head + data.length) % 4)) % 4));
  }
  return Buffer.concat(parts);
}
