/**
 * Compares two outputs: numbers with tolerances, texts by lines, pictures by pixels and similarity, the rest as JSON.
 */
import { diffArrays } from 'diff'
import type { ComparisonRules, Difference } from '../../../contract/compare.ts'
import { isRecord, writeExact } from '../../../lib/json/plain.ts'
import { keepStart } from '../../../lib/text.ts'
import { errorHeadline, readJobError } from '../../jobs/rules/read-error.ts'

export type ComparedOutput = {
  readonly status: string
  readonly error: string | undefined
  /** Parsed by `parseExact`; undefined without output. */
  readonly output: unknown
  readonly stream: readonly unknown[]
}

/** 8 bits per sample: red, green, blue and opacity. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8Array }

type ReadPicture = (text: string) => Pixels | 'unread' | undefined

/** `differences` are the largest of `count`. */
export type Compared = { readonly score: number; readonly count: number; readonly differences: readonly Difference[] }

// Bounds the comparison of large outputs; nobody reads more of one row.
const MOST_TOLD = 50
const MOST_FOUND = 10_000
const MOST_VISITED = 2_000_000
const SHOWN = 60
const SHORT_TEXT = 120

export function compareOutputs(
  a: ComparedOutput,
  b: ComparedOutput,
  rules: ComparisonRules,
  read: ReadPicture,
): Compared {
  if (a.status !== b.status) {
    const why = b.error === undefined ? '' : `: ${oneLine(b.error)}`
    return toldOf([{ path: '', kind: 'state', text: `${b.status} instead of ${a.status}${why}`, score: 2 }])
  }
  const isIgnored = ignoring(rules.ignore ?? [])
  const found: Difference[] = []
  let visited = 0

  function visit(one: unknown, other: unknown, path: readonly string[]): void {
    visited += 1
    if (Object.is(one, other) || found.length >= MOST_FOUND || visited > MOST_VISITED || isIgnored(path)) return
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at++) visit(one[at], other[at], [...path, `[${at}]`])
    } else if (isRecord(one) && isRecord(other)) {
      for (const name of Object.keys(one)) visit(one[name], fieldOf(other, name), [...path, name])
      for (const name of Object.keys(other))
        if (!Object.hasOwn(one, name)) visit(undefined, other[name], [...path, name])
    } else {
      const difference = compareLeaves(one, other, rules, read)
      if (difference !== undefined) found.push({ path: pathText(path), ...difference })
    }
  }

  if (a.error !== undefined || b.error !== undefined) visit(oneLine(a.error ?? ''), oneLine(b.error ?? ''), ['error'])
  const [streamOfA, streamOfB] = [joined(a.stream), joined(b.stream)]
  const hasStream = streamOfA !== undefined || streamOfB !== undefined
  if (hasStream) visit(streamOfA, streamOfB, ['(stream)'])
  // A list next to a stream repeats its chunks.
  if (!(hasStream && Array.isArray(a.output) && Array.isArray(b.output))) visit(a.output, b.output, [])
  if (visited > MOST_VISITED)
    found.push({ path: '', kind: 'value', text: `only the first ${MOST_VISITED} values were compared`, score: 0.01 })
  return toldOf(found)
}

// Source: ours, because two runs of the same code differ by more than a few ms.
const SLOWER_MS = 50

export function withTime(
  found: Compared,
  [before, after]: readonly [number | null, number | null],
  { slower }: ComparisonRules,
): Compared & { readonly outcome: 'same' | 'differs' } {
  const [was, is] = [before ?? 0, after ?? 0]
  const isSlower = slower !== undefined && is > was * slower && is - was > SLOWER_MS
  if (!isSlower) return { ...found, outcome: found.count === 0 ? 'same' : 'differs' }
  const time: Difference = { path: '', kind: 'time', text: `${is} ms instead of ${was} ms`, score: 0.1 }
  const { score, differences } = toldOf([...found.differences, time])
  return { score, count: found.count + 1, differences, outcome: 'differs' }
}

const fieldOf = (object: Readonly<Record<string, unknown>>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined

function toldOf(found: readonly Difference[]): Compared {
  const sorted = found.toSorted((one, other) => other.score - one.score)
  return { score: sorted[0]?.score ?? 0, count: found.length, differences: sorted.slice(0, MOST_TOLD) }
}

/** Joins text chunks, however they were cut; otherwise a list of chunks. */
function joined(stream: readonly unknown[]): unknown {
  if (stream.length === 0) return undefined
  return stream.every((one) => typeof one === 'string') ? stream.join('') : stream
}

const pathText = (path: readonly string[]) =>
  path.reduce((before, name) => (name.startsWith('[') || before === '' ? before + name : `${before}.${name}`), '')

function ignoring(patterns: readonly string[]): (path: readonly string[]) => boolean {
  if (patterns.length === 0) return () => false
  const read = patterns.map((pattern) =>
    pattern
      .replace(/\[([^\]]*)\]/g, '.$1')
      .split('.')
      .filter((name) => name !== ''),
  )
  return (path) => {
    const names = path.map((name) => name.replace(/^\[(\d+)\]$/, '$1'))
    return read.some((pattern) => fits(pattern, names))
  }
}

function fits([first, ...rest]: readonly string[], names: readonly string[]): boolean {
  if (first === undefined) return names.length === 0
  if (first === '**') return rest.length === 0 || names.some((_name, from) => fits(rest, names.slice(from)))
  return names.length > 0 && (first === '*' || first === names[0]) && fits(rest, names.slice(1))
}

type Leaf = Omit<Difference, 'path'>

function compareLeaves(a: unknown, b: unknown, rules: ComparisonRules, read: ReadPicture): Leaf | undefined {
  if (b === undefined) return { kind: 'missing', text: `missing, was ${shown(a)}`, score: 1 }
  if (a === undefined) return { kind: 'added', text: `added: ${shown(b)}`, score: 1 }
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b, rules)
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b, rules, read)
  return { kind: 'value', text: `${shown(b)} instead of ${shown(a)}`, score: 1 }
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function compareNumbers(a: number | bigint, b: number | bigint, { absolute = 0, relative = 0 }: ComparisonRules) {
  const distance = Math.abs(Number(a) - Number(b))
  const larger = Math.max(Math.abs(Number(a)), Math.abs(Number(b)))
  const isWithin = (absolute > 0 || relative > 0) && distance <= Math.max(absolute, relative * larger)
  if (a === b || isWithin) return undefined
  const score = larger === 0 ? 0 : Math.min(1, distance / larger)
  return { kind: 'value' as const, text: `${b} instead of ${a}`, score: Math.max(score, 1e-9) }
}

function shown(value: unknown): string {
  const text =
    typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : writeExact(value)
  return keepStart(text, SHOWN)
}

const oneLine = (text: string) => (errorHeadline(readJobError(text)).trim().split('\n').at(-1) ?? '').slice(0, 300)

function compareTexts(a: string, b: string, rules: ComparisonRules, read: ReadPicture): Leaf | undefined {
  const [one, other] = [read(a), read(b)]
  if (one !== undefined && other !== undefined) {
    if (one !== 'unread' && other !== 'unread') return comparePictures(one, other, rules)
    return { kind: 'picture', text: 'other bytes; only PNG and JPEG are compared by pixels', score: 1 }
  }
  if (one !== undefined || other !== undefined)
    return {
      kind: 'picture',
      text: other === undefined ? 'no picture any more' : 'a picture instead of text',
      score: 1,
    }
  const isShort = Math.max(a.length, b.length) <= SHORT_TEXT && !a.includes('\n') && !b.includes('\n')
  if (isShort)
    return { kind: 'value', text: `${writeExact(b)} instead of ${writeExact(a)}`, score: changedShare([...a], [...b]) }
  return compareLines(a.split('\n'), b.split('\n'))
}

const MOST_LINES = 40
const LINE_LENGTH = 200
// Above this, all lines count as replaced, because diffing is quadratic.
const MOST_EDITS = 1000

function compareLines(a: readonly string[], b: readonly string[]): Leaf {
  const { start, ofA, ofB } = middles(a, b)
  const lines: string[] = [`@@ line ${start + 1} @@`]
  let changed = 0
  const add = (sign: string, line: string | undefined) => {
    if (line === undefined) return
    if (sign !== ' ') changed += 1
    if (lines.length < MOST_LINES) lines.push(`${sign}${line.slice(0, LINE_LENGTH)}`)
  }
  add(' ', a[start - 1])
  const parts = diffArrays(ofA, ofB, { maxEditLength: MOST_EDITS }) ?? [
    { value: ofA, removed: true, added: false },
    { value: ofB, removed: false, added: true },
  ]
  for (const { value, removed, added } of parts) for (const line of value) add(removed ? '-' : added ? '+' : ' ', line)
  add(' ', a[start + ofA.length])
  const text = `${changed} changed lines of ${Math.max(a.length, b.length)}\n${lines.join('\n')}`
  const score =
    a.length === 1 && b.length === 1 ? changedShare([...(a[0] ?? '')], [...(b[0] ?? '')]) : changedShare(a, b)
  return { kind: 'text', text, score }
}

function middles<One>(a: readonly One[], b: readonly One[]) {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start += 1
  let end = 0
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  return { start, ofA: a.slice(start, a.length - end), ofB: b.slice(start, b.length - end) }
}

function changedShare<One>(a: readonly One[], b: readonly One[]): number {
  const { ofA, ofB } = middles(a, b)
  return Math.max(ofA.length, ofB.length) / Math.max(1, a.length, b.length)
}

function comparePictures(a: Pixels, b: Pixels, { distance: most = 0, pixels = 0, similarity: least }: ComparisonRules) {
  if (a.width !== b.width || a.height !== b.height) {
    const text = `${b.width} × ${b.height} instead of ${a.width} × ${a.height} pixels`
    return { kind: 'picture' as const, text, score: 1 }
  }
  let count = 0
  let largest = 0
  for (let at = 0; at < a.data.length; at += 4) {
    let own = 0
    for (let channel = 0; channel < 4; channel++)
      own = Math.max(own, Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)))
    if (own > most) count += 1
    if (own > largest) largest = own
  }
  const share = count / (a.width * a.height)
  if (share <= pixels) return undefined
  const similarity = structuralSimilarity(a, b)
  if (least !== undefined && similarity >= least) return undefined
  const text = `${percent(share)} of pixels differ, by up to ${largest} of 255; similarity ${similarity.toFixed(3)}`
  return {
    kind: 'picture' as const,
    text,
    score: Math.min(1, Math.max(share, 1 - similarity)),
    picture: { share, distance: largest, similarity },
  }
}

const percent = (share: number) => `${share < 0.0995 ? (share * 100).toFixed(2) : Math.round(share * 100)} %`

// Wang et al., "Image quality assessment: from error visibility to structural similarity" (2004): 8-bit constants, 8 ×
// 8 windows at every fourth pixel, luma (ITU-R BT.601), mean of all.
const WINDOW = 8
const STEP = 4
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

function structuralSimilarity(a: Pixels, b: Pixels): number {
  const { width, height } = a
  const [lumaOfA, lumaOfB] = [lumaOf(a), lumaOf(b)]
  let sum = 0
  let windows = 0
  for (let top = 0; top === 0 || top + WINDOW <= height; top += STEP)
    for (let left = 0; left === 0 || left + WINDOW <= width; left += STEP) {
      const [right, bottom] = [Math.min(width, left + WINDOW), Math.min(height, top + WINDOW)]
      let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0]
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) {
          const one = lumaOfA[y * width + x] ?? 0
          const other = lumaOfB[y * width + x] ?? 0
          sumA += one
          sumB += other
          squaresA += one * one
          squaresB += other * other
          products += one * other
        }
      const count = (right - left) * (bottom - top)
      const [meanA, meanB] = [sumA / count, sumB / count]
      const varianceA = squaresA / count - meanA * meanA
      const varianceB = squaresB / count - meanB * meanB
      const covariance = products / count - meanA * meanB
      sum +=
        ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
        ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
      windows += 1
    }
  return sum / windows
}

// On white, as viewers show transparent pixels.
function lumaOf({ width, height, data }: Pixels): Float32Array {
  const luma = new Float32Array(width * height)
  for (let pixel = 0; pixel < luma.length; pixel++) {
    const at = pixel * 4
    const opacity = (data[at + 3] ?? 255) / 255
    const grey = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
    luma[pixel] = grey * opacity + 255 * (1 - opacity)
  }
  return luma
}
