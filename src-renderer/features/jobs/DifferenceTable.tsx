import clsx from 'clsx'
import { useMemo } from 'react'
import { writeExact } from '../../../src-main/lib/json/plain.ts'
import { counted } from '../../../src-main/lib/text.ts'

// Longer strings, like base64, are not compared as text but shown as pictures.
const LONG = 300

const SIGNS: Readonly<Record<Difference['kind'], string>> = { changed: '≠', 'only in a': '−', 'only in b': '+' }

export function DifferenceTable({ label, a, b }: { readonly label: string; readonly a: unknown; readonly b: unknown }) {
  const { found, more } = useMemo(() => diffJson(a, b), [a, b])
  if (found.length === 0) return <p className="p-3 text-ink-2">No difference.</p>
  return (
    <div className="overflow-x-auto">
      <table aria-label={`Differences of ${label}`} className="w-full table-fixed border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-small text-ink-2 [&>th]:px-3 [&>th]:py-1.5 [&>th]:font-normal">
            <th scope="col" className="w-1/4">
              {more ? 'The first ' : ''}
              {counted(found.length, 'difference')}
            </th>
            <th scope="col">A</th>
            <th scope="col">B</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <tr
              key={one.path}
              className="border-b border-line/60 align-top font-mono text-small [&>*]:px-3 [&>*]:py-1.5"
            >
              <th scope="row" className="text-left font-normal break-all">
                <span role="img" aria-label={one.kind} className="mr-2 inline-block w-3 text-ink-2">
                  {SIGNS[one.kind]}
                </span>
                {one.path === '' ? 'all of it' : one.path}
              </th>
              <Cell value={one.a} isOther={one.kind === 'only in b'} />
              <Cell value={one.b} isOther={one.kind === 'only in a'} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ value, isOther }: { readonly value: unknown; readonly isOther: boolean }) {
  const text = value === undefined ? '' : writeExact(value)
  return (
    <td className={clsx('break-all whitespace-pre-wrap', isOther ? 'text-ink-2' : 'bg-warn-soft text-warn-ink')}>
      {isOther ? 'not there' : text.slice(0, LONG)}
      {text.length > LONG && `… ${text.length.toLocaleString('en')} characters`}
    </td>
  )
}

type Difference = {
  /** Like `steps[2].seed`; empty means the whole value. */
  readonly path: string
  readonly kind: 'changed' | 'only in a' | 'only in b'
  readonly a: unknown
  readonly b: unknown
}

type Differences = { readonly found: readonly Difference[]; readonly more: boolean }

// Nobody reads more, and comparing megabytes must not freeze the window.
const MOST_FOUND = 500
const MOST_VISITED = 200_000

/** Differences of two JSON values by path; lists are compared by index. */
export function diffJson(a: unknown, b: unknown): Differences {
  const found: Difference[] = []
  let visited = 0
  const isFull = () => found.length >= MOST_FOUND || visited >= MOST_VISITED

  function visit(one: unknown, other: unknown, path: string): void {
    visited += 1
    if (isFull() || Object.is(one, other)) return
    if (!isBranch(one) || !isBranch(other) || Array.isArray(one) !== Array.isArray(other)) {
      found.push({ path, kind: kindOf(one, other), a: one, b: other })
      return
    }
    for (const name of namesOf(one, other)) {
      if (isFull()) return
      visit(valueAt(one, name), valueAt(other, name), pathTo(one, path, name))
    }
  }

  visit(a, b, '')
  return { found, more: isFull() }
}

// A generator, because only the first of a million are read.
function* namesOf(one: object, other: object): Generator<string> {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let at = 0; at < Math.max(one.length, other.length); at++) yield String(at)
    return
  }
  yield* Object.keys(one)
  for (const name of Object.keys(other)) if (!Object.hasOwn(one, name)) yield name
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null

function valueAt(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name as keyof typeof value] : undefined
}

function kindOf(a: unknown, b: unknown): Difference['kind'] {
  if (a === undefined) return 'only in b'
  return b === undefined ? 'only in a' : 'changed'
}

function pathTo(parent: object, path: string, name: string): string {
  if (Array.isArray(parent)) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}
