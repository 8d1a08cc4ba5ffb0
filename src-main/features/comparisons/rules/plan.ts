import type { ComparisonMode, ComparisonRow, ComparisonVerdict, ComparisonView } from '../../../contract/compare.ts'
import { limit } from '../../../contract/limits.ts'
import type { Problem } from '../../../lib/in-thread.ts'
import { parseJson } from '../../../lib/json/parse.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'
import { cutText, fieldsOf, scanJson } from '../../../lib/json/scan.ts'
import { isObject, type JsonObject, type JsonValue, withKey, writeJson } from '../../../lib/json/value.ts'
import { counted } from '../../../lib/text.ts'

export type FileItem = { readonly source: string; readonly input: string }

const QUOTED = 60
const BOUNDS = { maxKeys: limit('jsonKeys'), maxDepth: limit('jsonDepth') }

/** Parses untrusted lines: JSON objects with an `input`. Empty lines and the head of a job file are skipped. */
export function readItems(text: string): readonly FileItem[] | Problem {
  const items: FileItem[] = []
  let number = 0
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    number += 1
    const line = text.slice(start, end)
    start = end + 1
    if (line.trim() === '') continue
    const item = readLine(line, number)
    if (item === undefined) continue
    if ('problem' in item) return { problem: `line ${number} ${item.problem}` }
    if (items.length >= limit('comparisonItems'))
      return { problem: `has more than ${limit('comparisonItems')} inputs. Send a part of it` }
    items.push(item)
  }
  return items.length === 0 ? { problem: 'has no inputs. Each line is a JSON object' } : items
}

function readLine(line: string, number: number): FileItem | Problem | undefined {
  const scan = scanJson(line, BOUNDS)
  if (typeof scan === 'string') return { problem: scan === 'too-deep' ? 'is nested too deep' : 'has too many keys' }
  const value = plainJson(line)
  if (value === undefined) return { problem: `is not JSON: ${line.slice(0, QUOTED)}` }
  if (!isRecord(value)) return { problem: `is not a JSON object: ${line.slice(0, QUOTED)}` }
  if (value.drydock === 'job' && value.input === undefined) return undefined
  const isRequest = Object.hasOwn(value, 'input')
  if (isRequest && !isRecord(value.input)) return { problem: 'has an `input` that is not an object' }
  const input = isRequest ? (fieldsOf(scan, cutText(line))('input') ?? '{}') : line.trim()
  return { source: typeof value.id === 'string' ? value.id.slice(0, 100) : `line ${number}`, input }
}

/**
 * Sets values in the input's text and leaves the rest unchanged.
 * @param set by NODE.INPUT of the graph in `workflow`, or by input path; JSON, or text wherever a text stands
 */
export function withValues(input: string, set: Readonly<Record<string, string>>): string | Problem {
  const parsed = parseJson(input)
  if (!isObject(parsed)) return { problem: 'its input is not a JSON object' }
  let changed = parsed
  for (const [path, text] of Object.entries(set)) {
    const next = setAt(changed, pathIn(changed, path), text)
    if (next === undefined) return { problem: `its input has no place for ${path.slice(0, 100)}` }
    changed = next
  }
  return writeJson(changed)
}

// Graphs use numeric node ids, which other inputs do not have.
function pathIn(input: JsonObject, path: string): readonly string[] {
  const [node = '', ...rest] = path.split('.')
  const graph = input.get('workflow')
  return isObject(graph) && isObject(graph.get(node)) && rest.length > 0
    ? ['workflow', node, 'inputs', rest.join('.')]
    : [node, ...rest]
}

function setAt(object: JsonObject, [name = '', ...rest]: readonly string[], text: string): JsonObject | undefined {
  const present = object.get(name)
  if (rest.length === 0) return withKey(object, name, typedValue(text, present))
  if (!isObject(present)) return undefined
  const inner = setAt(present, rest, text)
  return inner === undefined ? undefined : withKey(object, name, inner)
}

function typedValue(text: string, present: JsonValue | undefined): JsonValue {
  if (typeof present === 'string') return text
  const value = parseJson(text, { bare: 'refused' })
  return value === undefined ? text : value
}

export function summaryOf({ reason, differences: [first], count }: ComparisonRow): string {
  const more = count > 1 ? `, and ${counted(count - 1, 'more place')}` : ''
  return reason ?? `${first?.text.split('\n')[0] ?? ''}${more}`
}

export const endedJobs = ({ versions }: Pick<ComparisonView, 'versions'>): number =>
  versions.reduce((sum, { ended }) => sum + ended, 0)

export function progressOf(comparison: ComparisonView): string {
  const { versions, items, mode, rounds } = comparison
  const ended = endedJobs(comparison)
  if (mode === 'bisect') return `round ${rounds.length}, ${counted(ended, 'job')} ended`
  return `${ended.toLocaleString('en')} of ${counted(items * versions.length, 'job')} ended`
}

export function waitsOf(
  { versions, items }: Pick<ComparisonView, 'versions' | 'items'>,
  reasonOf: (endpointId: string) => string | undefined,
): readonly string[] {
  const open = versions.filter(({ ended }) => ended < items).map(({ copy, endpoint }) => copy ?? endpoint)
  return [...new Set(open)].flatMap((id) => {
    const reason = reasonOf(id)
    return reason === undefined ? [] : `${id} waits: ${reason}`
  })
}

export type VersionCounts = { readonly same: number; readonly differs: number; readonly failed: number }

type NextStep = { readonly rounds: readonly number[] } & (
  | { readonly run: readonly number[] }
  | { readonly verdict: ComparisonVerdict }
)

type Course = {
  readonly mode: ComparisonMode
  readonly versions: readonly string[]
  readonly items: number
  readonly counts: ReadonlyMap<number, VersionCounts>
}

const NONE: VersionCounts = { same: 0, differs: 0, failed: 0 }
const endedOf = ({ same, differs, failed }: VersionCounts) => same + differs + failed

/**
 * A bisection halves between the last equal and the first differing version, assuming that all later ones differ too.
 */
export function nextStep(course: Course): NextStep {
  return course.mode === 'bisect' ? nextOfBisection(course) : nextOfComparison(course)
}

const alsoFailed = (failed: number) => (failed === 0 ? '' : `; ${failed} could not be compared`)

function nextOfComparison({ versions, items, counts }: Course): NextStep {
  const others = versions.map((_name, at) => at).slice(1)
  const open = others.filter((at) => endedOf(counts.get(at) ?? NONE) < items)
  if (open.length > 0) return { rounds: [], run: open }
  const sums = others.map((at) => counts.get(at) ?? NONE)
  const differing = sums.filter(({ differs }) => differs > 0).length
  const failed = sums.reduce((sum, one) => sum + one.failed, 0)
  if (differing > 0) {
    const outputs = sums.reduce((sum, one) => sum + one.differs, 0)
    const of = others.length === 1 ? '' : ` on ${differing} of ${others.length} versions`
    return {
      rounds: [],
      verdict: {
        result: 'differs',
        text: `${outputs} of ${counted(items * others.length, 'output')} ${outputs === 1 ? 'differs' : 'differ'}${of}${alsoFailed(failed)}.`,
      },
    }
  }
  if (failed > 0)
    return {
      rounds: [],
      verdict: { result: 'incomplete', text: `${counted(failed, 'output')} could not be compared; no other differs.` },
    }
  return {
    rounds: [],
    verdict: {
      result: 'same',
      text: `No output differs, of ${counted(items, 'input')} on ${counted(versions.length, 'version')}.`,
    },
  }
}

function nextOfBisection({ versions, items, counts }: Course): NextStep {
  const rounds: number[] = []
  let [same, differing] = [0, versions.length]
  while (differing - same > 1) {
    const middle = Math.floor((same + differing) / 2)
    const found = counts.get(middle) ?? NONE
    rounds.push(middle)
    if (endedOf(found) < items) return { rounds, run: [middle] }
    if (found.differs === 0 && found.failed > 0) {
      const text = `${versions[middle]} cannot be judged: ${counted(found.failed, 'output')} could not be compared, and no other differs.`
      return { rounds, verdict: { result: 'incomplete', text } }
    }
    if (found.differs > 0) differing = middle
    else same = middle
  }
  const took = `${counted(rounds.length, 'round')} of ${counted(items, 'input')}`
  if (differing === versions.length)
    return { rounds, verdict: { result: 'same', text: `No version differs from ${versions[0]}, by ${took}.` } }
  const { differs: count, failed } = counts.get(differing) ?? NONE
  const text = `${versions[differing]} is the first that differs: ${count} of ${counted(items, 'output')}, found in ${took}${alsoFailed(failed)}.`
  return { rounds, verdict: { result: 'differs', firstDiffering: differing, text } }
}
