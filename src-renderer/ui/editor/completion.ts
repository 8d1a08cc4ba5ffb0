/**
 * Offers names and values seen elsewhere. It opens while typing or with Ctrl Space; arrows choose, Enter or Tab
 * accepts, Escape closes.
 */
import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView, keymap, showTooltip, type Tooltip } from '@codemirror/view'

/** A field seen elsewhere: `path` is its names joined by dots, `values` are JSON texts. */
export type SeenField = { readonly path: string; readonly values: readonly string[] }

type Offer = { readonly label: string; readonly insert: string }
type Offered = { readonly from: number; readonly offers: readonly Offer[]; readonly chosen: number }

const SHOWN = 12
const close = StateEffect.define<null>()
const open = StateEffect.define<null>()
const choose = StateEffect.define<number>()

export function completion(fields: () => readonly SeenField[]): Extension {
  const offered = StateField.define<Offered | null>({
    create: () => null,
    update(before, transaction) {
      for (const effect of transaction.effects) {
        if (effect.is(close)) return null
        if (effect.is(open)) return find(transaction.state, fields())
        if (effect.is(choose) && before !== null) return { ...before, chosen: effect.value }
      }
      const typed = transaction.isUserEvent('input.type') || transaction.isUserEvent('delete')
      if (transaction.docChanged && typed) return find(transaction.state, fields(), before === null)
      return transaction.docChanged || transaction.selection ? null : before
    },
    provide: (field) => showTooltip.from(field, (value) => (value === null ? null : tooltip(value, field))),
  })

  const move =
    (by: number): Command =>
    (view) => {
      const now = view.state.field(offered)
      if (now === null) return false
      const chosen = (now.chosen + by + now.offers.length) % now.offers.length
      view.dispatch({ effects: choose.of(chosen) })
      return true
    }
  const take: Command = (view) => {
    const now = view.state.field(offered)
    return now !== null && insert(view, now, now.chosen)
  }
  return [
    offered,
    Prec.highest(
      keymap.of([
        {
          key: 'Ctrl-Space',
          run: (view) => {
            view.dispatch({ effects: open.of(null) })
            return true
          },
        },
        { key: 'ArrowDown', run: move(1) },
        { key: 'ArrowUp', run: move(-1) },
        { key: 'Enter', run: take },
        { key: 'Tab', run: take },
        {
          key: 'Escape',
          run: (view) => {
            if (view.state.field(offered) === null) return false
            view.dispatch({ effects: close.of(null) })
            return true
          },
        },
      ]),
    ),
    EditorView.domEventHandlers({
      blur: (_event, view) => {
        if (view.state.field(offered) !== null) view.dispatch({ effects: close.of(null) })
      },
    }),
  ]
}

// It opens by itself only after something was typed: a list at each new line is in the way.
function find(state: EditorState, fields: readonly SeenField[], byItself = false): Offered | null {
  const { main } = state.selection
  const cursor = main.empty ? jsonCursor(state.doc.toString(), main.head) : undefined
  if (cursor === undefined || (byItself && cursor.from === main.head)) return null
  const path = cursor.path.join('.')
  const offers = cursor.kind === 'name' ? namesBelow(fields, path) : valuesAt(fields, path)
  const written = cursor.written.toLowerCase()
  const fitting = offers.filter(({ label }) => label.replace(/^"/, '').toLowerCase().startsWith(written))
  const [only] = fitting
  if (only === undefined || (fitting.length === 1 && only.insert === state.sliceDoc(cursor.from, main.head)))
    return null
  return { from: cursor.from, offers: fitting.slice(0, SHOWN), chosen: 0 }
}

function namesBelow(fields: readonly SeenField[], path: string): readonly Offer[] {
  const before = path === '' ? '' : `${path}.`
  return fields
    .filter((field) => field.path.startsWith(before) && !field.path.slice(before.length).includes('.'))
    .map((field) => field.path.slice(before.length))
    .map((name) => ({ label: name, insert: `${JSON.stringify(name)}: ` }))
}

function valuesAt(fields: readonly SeenField[], path: string): readonly Offer[] {
  const values = fields.find((field) => field.path === path)?.values ?? []
  return values.map((value) => ({ label: value, insert: value }))
}

function insert(view: EditorView, { from, offers }: Offered, at: number): boolean {
  const offer = offers[at]
  if (offer === undefined) return false
  const { head } = view.state.selection.main
  // The rest of the word behind the cursor is replaced too, and an existing colon is not written twice.
  const rest = /^[^\s{}[\],:"]*"?(\s*:\s?)?/.exec(view.state.sliceDoc(head, head + 200)) ?? ['']
  const isName = offer.insert.endsWith(': ')
  const to = head + (isName ? rest[0].length : rest[0].length - (rest[1]?.length ?? 0))
  view.dispatch({
    changes: { from, to, insert: offer.insert },
    selection: { anchor: from + offer.insert.length },
    effects: close.of(null),
    userEvent: 'input.complete',
  })
  return true
}

function tooltip({ from, offers, chosen }: Offered, field: StateField<Offered | null>): Tooltip {
  return {
    pos: from,
    create(view) {
      const dom = document.createElement('ul')
      dom.className = 'cm-offers'
      dom.setAttribute('role', 'listbox')
      dom.setAttribute('aria-label', 'Seen before')
      offers.forEach(({ label }, at) => {
        const item = document.createElement('li')
        item.textContent = label
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', String(at === chosen))
        item.addEventListener('mousedown', (event) => {
          event.preventDefault()
          const now = view.state.field(field)
          if (now !== null) insert(view, now, at)
        })
        dom.append(item)
      })
      return { dom }
    },
  }
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
