import type { CSSProperties } from 'react'
import type { NodeColours } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'

const COLOURS: Readonly<Record<string, string>> = {
  MODEL: 'var(--slot-model)',
  CLIP: 'var(--slot-clip)',
  CLIP_VISION: 'var(--slot-clip)',
  VAE: 'var(--slot-vae)',
  CONDITIONING: 'var(--slot-conditioning)',
  LATENT: 'var(--slot-latent)',
  IMAGE: 'var(--slot-image)',
  MASK: 'var(--slot-mask)',
  INT: 'var(--slot-number)',
  FLOAT: 'var(--slot-number)',
  BOOLEAN: 'var(--slot-number)',
  STRING: 'var(--slot-text)',
  COMBO: 'var(--slot-text)',
}

export function slotColour(type: string): string {
  const known = type.split(',').find((one) => Object.hasOwn(COLOURS, one))
  return (known === undefined ? undefined : COLOURS[known]) ?? 'var(--slot-unknown)'
}

/** Types without a colour of their own are drawn with a dashed ring. */
export function isKnownSlot(type: string): boolean {
  return type.split(',').some((one) => Object.hasOwn(COLOURS, one))
}

// A single CSS colour. Colours come from files, which may contain anything.
const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/-]{3,60}\))$/i

export const safeColour = (given: string | undefined): string | undefined =>
  given !== undefined && COLOUR.test(given) ? given : undefined

/**
 * Made equally light on both themes and more saturated, for small marks.
 * @returns a CSS colour; undefined if invalid
 */
export function fullColour(given: string | undefined): string | undefined {
  const safe = safeColour(given)
  return safe === undefined ? undefined : `oklch(from ${safe} clamp(0.5, l, 0.72) calc(c * 2) h)`
}

export function nodeColours({ color, bgcolor }: NodeView) {
  const [title, body] = [safeColour(color) ?? safeColour(bgcolor), safeColour(bgcolor) ?? safeColour(color)]
  if (title === undefined || body === undefined) return {}
  return { 'data-coloured': true, style: { '--given-title': title, '--given-body': body } as CSSProperties }
}

type PaletteColour = NodeColours & { readonly name: string }

/** As the field's editors write them; first the theme's. Source: docs/spec/comfyui.md, 8. */
export const NODE_PALETTE: readonly PaletteColour[] = [
  { name: 'no colour', color: undefined, bgcolor: undefined },
  { name: 'red', color: '#322', bgcolor: '#533' },
  { name: 'brown', color: '#332922', bgcolor: '#593930' },
  { name: 'green', color: '#232', bgcolor: '#353' },
  { name: 'blue', color: '#223', bgcolor: '#335' },
  { name: 'pale blue', color: '#2a363b', bgcolor: '#3f5159' },
  { name: 'cyan', color: '#233', bgcolor: '#355' },
  { name: 'purple', color: '#323', bgcolor: '#535' },
  { name: 'yellow', color: '#432', bgcolor: '#653' },
  { name: 'black', color: '#222', bgcolor: '#000' },
]

export const hasColour = (node: NodeColours, { color, bgcolor }: NodeColours): boolean =>
  node.color?.toLowerCase() === color && node.bgcolor?.toLowerCase() === bgcolor
