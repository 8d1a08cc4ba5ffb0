import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { type EditorView, keymap } from '@codemirror/view'

/** A field seen elsewhere: `path` is its names joined by dots, `values` are JSON texts. */
export type SeenField = { readonly path: string; readonly values: readonly string[] }

const SHOWN = 12

/** Offers names and values seen elsewhere, while typing or with Ctrl Space; Enter or Tab accepts. */
export function completion(fields: () => readonly SeenField[]): Extension {
  return [
    autocompletion({
      override: [(context) => find(context, fields())],
      icons: false,
      activateOnTypingDelay: 0,
      interactionDelay: 0,
    }),
    Prec.highest(keymap.of([{ key: 'Tab', run: acceptCompletion }])),
    EditorState.phrases.of({ Completions: 'Seen before' }),
  ]
}

// It opens by itself only after something was typed: a list at each new line is in the way.
function find({ state, pos, explicit }: CompletionContext, fields: readonly SeenField[]): CompletionResult | null {
  const cursor = state.selection.main.empty ? jsonCursor(state.doc.toString(), pos) : undefined
  if (cursor === undefined || (!explicit && cursor.from === pos)) return null
  const { kind, from } = cursor
  const path = cursor.path.join('.')
  const labels = kind === 'name' ? namesBelow(fields, path) : valuesAt(fields, path)
  const written = cursor.written.toLowerCase()
  const fitting = labels.filter((label) => label.replace(/^"/, '').toLowerCase().startsWith(written)).slice(0, SHOWN)
  const isWritten = fitting.length === 1 && kind === 'value' && fitting[0] === state.sliceDoc(from, pos)
  const apply = kind === 'name' ? insertName : insertValue
  return isWritten ? null : { from, options: fitting.map((label) => ({ label, apply })), filter: false }
}

function namesBelow(fields: readonly SeenField[], path: string): readonly string[] {
  const before = path === '' ? '' : `${path}.`
  return fields
    .filter((field) => field.path.startsWith(before) && !field.path.slice(before.length).includes('.'))
    .map((field) => field.path.slice(before.length))
}

function valuesAt(fields: readonly SeenField[], path: string): readonly string[] {
  return fields.find((field) => field.path === path)?.values ?? []
}

const insertName = (view: EditorView, chosen: Completion, from: number, to: number) =>
  insert(view, chosen, { from, to, text: `${JSON.stringify(chosen.label)}: `, rest: /^[^\s{}[\],:"]*"?(?:\s*:\s?)?/ })

const insertValue = (view: EditorView, chosen: Completion, from: number, to: number) =>
  insert(view, chosen, { from, to, text: chosen.label, rest: /^[^\s{}[\],:"]*"?/ })

type Insertion = { readonly from: number; readonly to: number; readonly text: string; readonly rest: RegExp }

// The rest of the word behind the cursor is replaced too, and an existing colon is not written twice.
function insert(view: EditorView, chosen: Completion, { from, to, text, rest }: Insertion): void {
  const [replaced = ''] = rest.exec(view.state.sliceDoc(to, to + 200)) ?? []
  view.dispatch({
    changes: { from, to: to + replaced.length, insert: text },
    selection: { anchor: from + text.length },
    annotations: pickedCompletion.of(chosen),
    userEvent: 'input.complete',
  })
}

type JsonCursor = {
  readonly kind: 'name' | 'value'
  /** Names of the enclosing objects, from the outside; lists add none. For a value, the last one is its own name. */
  readonly path: readonly string[]
  readonly from: number
  readonly written: string
}

type Level = { readonly isObject: boolean; name: string | undefined; expects: 'name' | 'colon' | 'value' | 'comma' }

const TOKENS = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

export function jsonCursor(text: string, at: number): JsonCursor | undefined {
  const levels: Level[] = []
  let last: { readonly from: number; readonly token: string } | undefined
  for (const match of text.slice(0, at).matchAll(TOKENS)) {
    const [token] = match
    last = undefined
    if (match.index + token.length === at && !isWhole(token)) {
      last = { from: match.index, token }
      break
    }
    step(levels, token)
  }
  const level = levels.at(-1)
  if (level === undefined || (level.expects !== 'name' && level.expects !== 'value')) return undefined
  return {
    kind: level.expects,
    path: levels.flatMap(({ isObject, name }, index) =>
      isObject && name !== undefined && (index < levels.length - 1 || level.expects === 'value') ? name : [],
    ),
    from: last?.from ?? at,
    written: last?.token.replace(/^"/, '') ?? '',
  }
}

// A string with its end, and punctuation, are complete; a word may still grow.
const isWhole = (token: string) => /^[{}[\],:]$/.test(token) || /^"(?:[^"\\]|\\.)*"$/.test(token)

function step(levels: Level[], token: string): void {
  const level = levels.at(-1)
  if (token === '{') levels.push({ isObject: true, name: undefined, expects: 'name' })
  else if (token === '[') levels.push({ isObject: false, name: undefined, expects: 'value' })
  else if (token === '}' || token === ']') {
    levels.pop()
    ended(levels.at(-1))
  } else if (level === undefined) return
  else if (token === ',') level.expects = level.isObject ? 'name' : 'value'
  else if (token === ':') level.expects = 'value'
  else if (level.expects === 'name') {
    level.name = token.replace(/^"|"$/g, '')
    level.expects = 'colon'
  } else ended(level)
}

function ended(level: Level | undefined): void {
  if (level !== undefined) level.expects = 'comma'
}
