import type { RefObject } from 'react'
import { useListKeys } from './use-list-keys.ts'

export type CardPosition = { readonly left: number; readonly top: number }

export type CardLayout =
  | { readonly count: number; readonly columns: number }
  | { readonly positions: readonly CardPosition[] }

/**
 * j, k, h, l and left and right move by one card, up and down by a row.
 * @param from index of the focused card; -1 for none
 * @returns undefined if the key leads nowhere
 */
export function nextCard(key: string, from: number, layout: CardLayout): number | undefined {
  const count = 'positions' in layout ? layout.positions.length : layout.count
  if (from < 0) return count === 0 ? undefined : key === 'End' ? count - 1 : 0
  const next = targetOf(key, from, count, layout)
  return next !== undefined && next >= 0 && next < count && next !== from ? next : undefined
}

function targetOf(key: string, from: number, count: number, layout: CardLayout): number | undefined {
  switch (key) {
    case 'j':
    case 'l':
    case 'ArrowRight':
      return from + 1
    case 'k':
    case 'h':
    case 'ArrowLeft':
      return from - 1
    case 'ArrowDown':
      return inNextRow(from, 1, layout)
    case 'ArrowUp':
      return inNextRow(from, -1, layout)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

function inNextRow(from: number, direction: 1 | -1, layout: CardLayout): number | undefined {
  if (!('positions' in layout)) return from + direction * layout.columns
  const here = layout.positions[from]
  if (here === undefined) return undefined
  const ahead = layout.positions
    .map((position, at) => ({ ...position, at }))
    .filter(({ top }) => (top - here.top) * direction > 1)
  const nearest = Math.min(...ahead.map(({ top }) => Math.abs(top - here.top)))
  const row = ahead.filter(({ top }) => Math.abs(Math.abs(top - here.top) - nearest) <= 1)
  return row.toSorted((one, other) => Math.abs(one.left - here.left) - Math.abs(other.left - here.left))[0]?.at
}

/** @param tops upper edges of the cards in order, px */
export function columnsOf(tops: readonly number[]): number {
  const second = tops.findIndex((top) => top !== tops[0])
  return second < 0 ? tops.length : second
}

/** The cards of a wall, all of which are rendered, and the focused one: -1 if none is. */
export function cardsIn(wall: HTMLElement | null): { readonly cards: readonly HTMLElement[]; readonly from: number } {
  const cards = [...(wall?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  return { cards, from: cards.indexOf(document.activeElement as HTMLElement) }
}

export function useCardKeys(
  label: string,
  wall: RefObject<HTMLElement | null>,
  layoutOf: (positions: readonly CardPosition[]) => CardLayout = inPlaces,
): void {
  const move = (key: string): boolean => {
    const { cards, from } = cardsIn(wall.current)
    const next = nextCard(key, from, layoutOf(cards.map((card) => card.getBoundingClientRect())))
    const card = next === undefined ? undefined : cards[next]
    card?.focus()
    return card !== undefined
  }
  useListKeys(label, wall, { move, across: move })
}

const inPlaces = (positions: readonly CardPosition[]): CardLayout => ({ positions })
