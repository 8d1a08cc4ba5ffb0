import type { CSSProperties } from 'react'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'

// What CSS takes as one colour. Colours come from files, and a file may say anything.
const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/-]{3,60}\))$/i

/** A colour that a document gives; undefined where it is none. */
export const safeColour = (given: string | undefined): string | undefined =>
  given !== undefined && COLOUR.test(given) ? given : undefined

/**
 * A colour that a document gives, for where it stands alone and small: as light as others on both themes, and fuller.
 * @returns a CSS colour; undefined where it is none
 */
export function fullColour(given: string | undefined): string | undefined {
  const safe = safeColour(given)
  return safe === undefined ? undefined : `oklch(from ${safe} clamp(0.5, l, 0.72) calc(c * 2) h)`
}

/** How a node is coloured, for `canvas.css`; nothing where the document gives no colours. */
export function nodeColours({ color, bgcolor }: NodeView) {
  const [title, body] = [safeColour(color) ?? safeColour(bgcolor), safeColour(bgcolor) ?? safeColour(color)]
  if (title === undefined || body === undefined) return {}
  return { 'data-coloured': true, style: { '--given-title': title, '--given-body': body } as CSSProperties }
}
