/** A body that must be refused. */
export type BadBody = { readonly what: string; readonly bytes: Uint8Array }

const text = (what: string, body: string): BadBody => ({ what, bytes: new TextEncoder().encode(body) })
const bytes = (what: string, ...codes: (number | string)[]): BadBody => ({
  what,
  bytes: Uint8Array.from(codes.flatMap((code) => (typeof code === 'number' ? [code] : [...Buffer.from(code)]))),
})

const PLACES: readonly ((value: string) => string)[] = [
  (value) => `{"input":${value}}`,
  (value) => `{"input":{"a":[${value}]}}`,
  (value) => `{"input":{},"policy":${value}}`,
]

/**
 * Kinds of bad bodies, each made anew with a number so that no two are the same. Source: docs/spec/targets.md, 2.15.
 */
const KINDS: readonly ((n: number) => BadBody)[] = [
  (n) => bytes('a byte that UTF-8 never has', '{"input":{"a":"', 0xff - (n % 8), '"}}'),
  (n) => bytes('UTF-8 that is cut off', '{"input":{"a":"', 0xe2, 0x82, `${n}"}}`),
  (n) => bytes('a surrogate in UTF-8', '{"input":{"a":"', 0xed, 0xa0 + (n % 32), 0x80, '"}}'),
  (n) => bytes('an overlong form', '{"input":{"a":"', 0xc0, 0x80 + (n % 64), '"}}'),
  (n) => text('lists nested 10,000 deep', `{"input":{"a":${'['.repeat(10_000 + n)}${']'.repeat(10_000 + n)}}}`),
  (n) => text('objects nested 10,000 deep', `{"input":${'{"a":'.repeat(10_000 + n)}1${'}'.repeat(10_000 + n)}}`),
  (n) => text('lists that never close', `{"input":{"a":${'['.repeat(10_000 + n)}`),
  (n) => text('1,000,000 keys', manyKeys(n)),
  (n) => text('a __proto__ key', `{"input":{"a":${n},"__proto__":{"admin":true}}}`),
  (n) => text('a __proto__ key at the top', `{"__proto__":{"n":${n}},"input":{}}`),
  (n) => text('a __proto__ key written with escapes', `{"input":{"n":${n},"\\u005f_proto\\u005F_":1}}`),
  (n) => text('NaN', (PLACES[n % 3] as (typeof PLACES)[number])('NaN')),
  (n) => text('Infinity', (PLACES[n % 3] as (typeof PLACES)[number])('-Infinity')),
  (n) => text('a repeated key at the top', `{"input":{"n":${n}},"input":{}}`),
  (n) => text('a repeated key further in', `{"input":{"a":{"n":${n},"n":0}}}`),
  (n) => text('a repeated key in a list', `{"input":{"a":[1,[{"n":${n},"m":1,"n":0}]]}}`),
  (n) => text('a repeated key, once with escapes', `{"input":{"n":${n},"\\u006e":0}}`),
  (n) => text('nothing', ' '.repeat(n % 2 === 0 ? 0 : n)),
  (n) => text('a comma too many', `{"input":{"n":${n},}}`),
  (n) => text('something after the end', `{"input":{"n":${n}}}x`),
  (n) => text('single quotes', `{'input':{'n':${n}}}`),
  (n) => text('a comment', `{"input":{}/*${n}*/}`),
  (n) => text('a byte order mark in the middle', `{"input":\uFEFF{"n":${n}}}`),
  (n) => text('a control character in a text', `{"input":{"n":"${n}\u0001"}}`),
  (n) => text('an end in the middle', `{"input":{"n":${n}`),
]

/** How many kinds there are. */
export const BAD_BODY_KINDS: number = KINDS.length

/** Gives the n-th bad body; the kinds take turns. */
export function badBody(n: number): BadBody {
  return (KINDS[n % KINDS.length] as (typeof KINDS)[number])(n)
}

let many: string | undefined
function manyKeys(n: number): string {
  many ??= Array.from({ length: 1_000_000 }, (_, key) => `"${key.toString(36)}":1`).join(',')
  return `{"input":{"n":${n},${many}}}`
}
