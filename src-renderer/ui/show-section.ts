/** Parts of long pages that addresses lead to. */

/** The id of the element that a part of a page is. */
export const sectionPlace = (id: string) => `section-${id}`
/** The id of the element that a field is. */
export const fieldPlace = (name: string) => `field-${name}`

// Room above a part, for the links in a narrow window; px.
const ROOM = 44
// No buttons: a key that is held down would press them.
const CONTROLS = 'input, textarea, [role="combobox"], [role="switch"], [role="radio"]'

/** Brings a section into sight. */
export function showSection(id: string): void {
  bringIntoSight(document.getElementById(sectionPlace(id)))
}

/** Brings a field into sight, and puts the focus into it. */
export function showField(name: string): void {
  const place = document.getElementById(fieldPlace(name))
  bringIntoSight(place)
  place?.querySelector<HTMLElement>(CONTROLS)?.focus({ preventScroll: true })
}

// Only the content scrolls: scrollIntoView would move the frame of the window as well.
function bringIntoSight(place: HTMLElement | null): void {
  const content = place?.closest('main')
  if (place === null || content === null || content === undefined) return
  content.scrollTop += place.getBoundingClientRect().top - content.getBoundingClientRect().top - ROOM
}
