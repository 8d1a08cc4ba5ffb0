/** Archives byte by byte, so that they can be what no program would write. */
import { gzipSync } from 'node:zlib'

const BLOCK = 512
const SIZE_DIGITS = 11

/** One header of a tar archive with what follows it. `type` as in the format: '0' a file, '5' a folder, '2' a link. */
export type RawEntry = {
  readonly name: string | Buffer
  readonly type?: string
  readonly content?: string | Buffer
  /** Where it is not that of the content: bytes, or the field as it stands. */
  readonly size?: number | Buffer
  readonly mode?: number
  readonly link?: string
}

/** A file of a few bytes. */
export function file(name: string | Buffer, more: Partial<RawEntry> = {}): RawEntry {
  return { name, content: 'content', ...more }
}

/** A folder. */
export function folder(name: string, more: Partial<RawEntry> = {}): RawEntry {
  return { name, type: '5', mode: 0o755, ...more }
}

/** Fields of the newer form for the entry after it. */
export function pax(fields: Readonly<Record<string, string>>, type = 'x'): RawEntry {
  return { name: 'pax', type, content: Object.entries(fields).map(paxLine).join('') }
}

/** The older form of a long name for the entry after it. */
export function gnuLongName(name: string): RawEntry {
  return { name: '././@LongLink', type: 'L', content: `${name}\0` }
}

/** The entries as they stand in an archive, without its end. */
export function tarBytes(...entries: readonly RawEntry[]): Buffer {
  return Buffer.concat(entries.map(entryBytes))
}

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK)

/** A whole archive, compressed. */
export function archive(...entries: readonly RawEntry[]): Buffer {
  return gzipSync(Buffer.concat([tarBytes(...entries), TAR_END]))
}

function paxLine([key, value]: readonly [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  const length = [1, 2, 3, 4].map((digits) => rest + digits).find((all) => rest + String(all).length === all)
  return `${length} ${key}=${value}\n`
}

function entryBytes({ name, type = '0', content = '', size, mode = 0o644, link = '' }: RawEntry): Buffer {
  const data = Buffer.from(content)
  const header = Buffer.alloc(BLOCK)
  Buffer.from(name).copy(header, 0, 0, 100)
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0'.repeat(2), 108)
  if (Buffer.isBuffer(size)) size.copy(header, 124)
  else header.write(`${(size ?? data.length).toString(8).padStart(SIZE_DIGITS, '0')} `, 124)
  header.write(`${'0'.repeat(SIZE_DIGITS)} `, 136)
  header.write(type, 156)
  header.write(link, 157)
  header.write('ustar\x0000', 257)
  header.write('        ', 148)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)])
}
