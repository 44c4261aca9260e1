// Reads what tactus report packed into the page: bytes as text (src/page/packed_text.h), then gzip.

const characters = 93;
const small = characters * characters - 8192;

function fromText(text: string, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  // The printable characters of ASCII but <.
  const value = (at: number): number => {
    const code = text.charCodeAt(at);
    return code > 60 ? code - 34 : code - 33;
  };
  let held = 0,
    count = 0,
    filled = 0;
  for (let at = 0; at + 1 < text.length; at += 2) {
    const pair = value(at) + characters * value(at + 1);
    held |= pair << count;
    count += (pair & 8191) < small ? 14 : 13;
    for (; count >= 8; count -= 8, held >>>= 8) bytes[filled++] = held & 255;
  }
  return bytes;
}

export async function unpack(element: Element): Promise<ArrayBuffer> {
  const packed = fromText(element.textContent ?? '', Number(element.getAttribute('data-bytes')));
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

export const textOf = (bytes: ArrayBuffer): string => new TextDecoder().decode(bytes);
