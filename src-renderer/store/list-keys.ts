import type { StateCreator } from 'zustand/vanilla'

export type ListAct = 'move' | 'page' | 'across' | 'open' | 'select' | 'selectAll' | 'rerun' | 'cancel' | 'leave'

type ListKey = {
  readonly act: ListAct
  readonly keys: readonly string[]
  readonly label: string
  /** Only if the focus is in the list: elsewhere the browser uses the key. */
  readonly inFocus?: true
  readonly withCtrl?: true
}

export const LIST_KEYS: readonly ListKey[] = [
  { act: 'move', keys: ['j', 'k'], label: 'Next, previous' },
  { act: 'move', keys: ['ArrowDown', 'ArrowUp'], label: 'Down, up', inFocus: true },
  { act: 'across', keys: ['ArrowRight', 'ArrowLeft', 'l', 'h'], label: 'Right, left', inFocus: true },
  { act: 'move', keys: ['Home', 'End'], label: 'First, last', inFocus: true },
  { act: 'page', keys: ['PageDown', 'PageUp'], label: 'A page down, up', inFocus: true },
  { act: 'open', keys: ['Enter'], label: 'Open', inFocus: true },
  { act: 'select', keys: ['x'], label: 'Select; with Shift up to here' },
  { act: 'select', keys: [' '], label: 'Select', inFocus: true },
  { act: 'selectAll', keys: ['a'], label: 'Select all', inFocus: true, withCtrl: true },
  { act: 'rerun', keys: ['r'], label: 'Run again as a new job' },
  { act: 'cancel', keys: ['c'], label: 'Cancel' },
  { act: 'leave', keys: ['Escape'], label: 'Clear the selection' },
]

export type ShownList = {
  readonly label: string
  readonly element: () => HTMLElement | null
  readonly acts: Readonly<Partial<Record<ListAct, (key: string, shift: boolean) => boolean>>>
}

export type ListsSlice = {
  readonly lists: readonly ShownList[]
  readonly showList: (list: ShownList) => () => void
}

export const createListsSlice: StateCreator<ListsSlice> = (set, get) => ({
  lists: [],
  showList(list) {
    set({ lists: [...get().lists, list] })
    return () => set({ lists: get().lists.filter((other) => other !== list) })
  },
})

export const keysOf = ({ acts }: ShownList): readonly ListKey[] => LIST_KEYS.filter(({ act }) => act in acts)

export const isInList = (target: EventTarget | null, lists: readonly ShownList[]): boolean =>
  lists.some(({ element }) => target instanceof Node && element()?.contains(target) === true)

const ONWARD: Readonly<Record<string, { readonly to: 1 | -1; readonly by: string }>> = {
  j: { to: 1, by: 'Home' },
  ArrowDown: { to: 1, by: 'Home' },
  k: { to: -1, by: 'End' },
  ArrowUp: { to: -1, by: 'End' },
}

export function pressInList(event: KeyboardEvent, shown: readonly ShownList[]): boolean {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const { target } = event
  const lists = shown.toSorted(inDocument)
  const own = lists.findIndex((list) => isInList(target, [list]))
  const at = Math.max(0, own)
  const list = lists[at]
  if (list === undefined) return false
  const row = keysOf(list).find(
    ({ keys, inFocus, withCtrl }) =>
      keys.includes(key) &&
      (withCtrl === true) === (event.ctrlKey || event.metaKey) &&
      (inFocus !== true || (own >= 0 && !isPressed(key, target, list))),
  )
  if (row === undefined) return false
  if (list.acts[row.act]?.(key, event.shiftKey) === true) return true
  const onward = row.act === 'move' ? ONWARD[key] : undefined
  const next = onward && lists[at + onward.to]
  return next?.acts.move?.(onward?.by ?? key, false) === true
}

function inDocument(one: ShownList, other: ShownList): number {
  const [a, b] = [one.element(), other.element()]
  if (a === null || b === null) return 0
  return a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1
}

// A link or button in a list handles Enter and Space itself.
function isPressed(key: string, target: EventTarget | null, { element }: ShownList): boolean {
  if (key !== 'Enter' && key !== ' ') return false
  return target instanceof Element && target !== element() && target.closest('a, button, input, summary') !== null
}
