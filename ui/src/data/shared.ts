// Documents of a report whose texts are shared and whose tables are columns (src/views/page/shared_json.h).

type Json = null | boolean | number | string | Json[] | {[key: string]: Json};

export interface SharedJson {
  strings: string[];
  documents: Record<string, Json>;
}

export function restore(packed: Json, strings: string[]): Json {
  if (typeof packed === 'string') return packed.startsWith('~') ? strings[Number(packed.slice(1))] : packed;
  if (Array.isArray(packed)) return packed.map((item) => restore(item, strings));
  if (packed === null || typeof packed !== 'object') return packed;
  if ('~' in packed) return restoreRows(packed, strings);
  return Object.fromEntries(Object.entries(packed).map(([key, value]) => [keyOf(key), restore(value, strings)]));
}

const keyOf = (key: string): string => (key.startsWith('~') ? key.slice(1) : key);

function restoreRows(packed: {[key: string]: Json}, strings: string[]): Json[] {
  const rows = Array.from({length: packed['~'] as number}, (): {[key: string]: Json} => ({}));
  for (const [key, column] of Object.entries(packed)) {
    if (key === '~') continue;
    const values = Array.isArray(column) ? column : (restore(column, strings) as Json[]);
    for (let i = 0; i < rows.length; ++i) {
      if (values[i] === '~') continue; // the row does not have it
      rows[i][keyOf(key)] = Array.isArray(column) ? restore(values[i], strings) : values[i];
    }
  }
  return rows;
}
