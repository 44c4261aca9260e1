// Fields of a part that is not always there are always there once the part is.

export type Whole<T> = T extends Array<infer U> ? Array<Whole<U>> : T extends object ? {[K in keyof T]-?: Whole<T[K]>} : T;
