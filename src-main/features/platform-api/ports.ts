import type { Json } from '../../lib/json/bytes.ts'

export type PackageReaders = { readonly systemPackages: (input: Json) => readonly string[] }
