import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import type { TableSort } from './table/column.ts'

export type SearchParts = Readonly<Record<string, string | undefined>>

export type SetSearchParts = (parts: SearchParts, options?: { readonly replace?: boolean }) => void

export function useSearchParts(): readonly [URLSearchParams, SetSearchParts] {
  const [search, setSearch] = useSearchParams()
  const set = useCallback<SetSearchParts>(
    (parts, { replace = true } = {}) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(parts)) {
            if (value === undefined || value === '') next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  return [search, set]
}

/** Sort order in the address: `?sort=queue`, descending `?sort=-queue`. */
export function useAddressSort(): [sort: TableSort | undefined, setSort: (sort: TableSort | undefined) => void] {
  const [search, set] = useSearchParts()
  const text = search.get('sort')
  const sort = useMemo(
    () => (text ? { column: text.replace(/^-/, ''), descending: text.startsWith('-') } : undefined),
    [text],
  )
  const setSort = (wanted: TableSort | undefined) =>
    set({ sort: wanted && `${wanted.descending ? '-' : ''}${wanted.column}` })
  return [sort, setSort]
}

export const sectionId = (id: string) => `section-${id}`
export const fieldId = (name: string) => `field-${name}`

// px above a section that stay free for the links in a narrow window.
const ROOM = 44
// Buttons are excluded: a held key would press them.
const CONTROLS = 'input, textarea, [role="combobox"], [role="switch"], [role="radio"]'

export function showSection(id: string): void {
  bringIntoSight(document.getElementById(sectionId(id)))
}

export function showField(name: string): void {
  const element = document.getElementById(fieldId(name))
  bringIntoSight(element)
  element?.querySelector<HTMLElement>(CONTROLS)?.focus({ preventScroll: true })
}

/** Scrolls the content while a bar at its lower edge covers the field with the focus. @returns ends that */
export function keepFocusAbove(bar: HTMLElement): () => void {
  const content = bar.closest('main')
  if (content === null) return () => undefined
  const reveal = () => {
    // A button that the pointer presses must not move from under it.
    const focused = content.querySelector(':focus-visible')
    if (focused === null || bar.contains(focused)) return
    const field = focused.closest(`[id^="${fieldId('')}"]`) ?? focused
    content.scrollTop += Math.max(0, field.getBoundingClientRect().bottom - bar.getBoundingClientRect().top)
  }
  const resize = new ResizeObserver(reveal)
  resize.observe(bar)
  content.addEventListener('focusin', reveal)
  return () => {
    resize.disconnect()
    content.removeEventListener('focusin', reveal)
  }
}

// Scrolls only the content; scrollIntoView would also move the window's frame.
function bringIntoSight(element: HTMLElement | null): void {
  const content = element?.closest('main')
  if (element === null || content === null || content === undefined) return
  content.scrollTop += element.getBoundingClientRect().top - content.getBoundingClientRect().top - ROOM
}
