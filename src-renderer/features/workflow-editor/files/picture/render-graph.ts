/** Draws graphs with a canvas of the browser. */
import type { WorkflowDocument } from '../../../../../src-main/domain/workflow/document/document.ts'
import type { NodeTypes } from '../../../../../src-main/domain/workflow/node-types.ts'
import { slotColour } from '../../canvas/slot-colour.ts'
import { graphPicture } from './graph-picture.ts'
import { fitInto, type PictureColours, paintGraph, type Size } from './paint-graph.ts'

const THUMBNAIL: Size = { width: 480, height: 300 }
const THUMBNAIL_MARGIN = 16
const PICTURE_MARGIN = 40
// Canvases of browsers end at about 16,384 px; pictures of more than these pixels are of no use, and slow.
const PICTURE_MAX_PX = 4096

/** A small picture for the library, on no ground, so that it is good on light and dark. */
export function renderThumbnail(document: WorkflowDocument, types: NodeTypes): Promise<Blob> {
  const picture = graphPicture(document, types)
  const fit = fitInto(picture, THUMBNAIL, THUMBNAIL_MARGIN)
  return render(THUMBNAIL, 'image/webp', (pen) => {
    paintGraph(pen, picture, { fit, size: THUMBNAIL, colours: { ...coloursOf(), ...QUIET, ground: undefined } })
  })
}

// Half transparent, as the ground may be light or dark when it is looked at.
const QUIET = {
  box: 'oklch(60% 0.01 260 / 22%)',
  title: 'oklch(60% 0.01 260 / 28%)',
  edge: 'oklch(60% 0.01 260 / 70%)',
  ink: 'oklch(58% 0.01 260)',
} as const

/** A picture of the whole graph, as a PNG. */
export function renderPicture(document: WorkflowDocument, types: NodeTypes): Promise<Blob> {
  const picture = graphPicture(document, types)
  const { width, height } = picture.bounds
  const scale = Math.min(1, (PICTURE_MAX_PX - 2 * PICTURE_MARGIN) / Math.max(1, width, height))
  const size = {
    width: Math.ceil(width * scale) + 2 * PICTURE_MARGIN,
    height: Math.ceil(height * scale) + 2 * PICTURE_MARGIN,
  }
  return render(size, 'image/png', (pen) => {
    paintGraph(pen, picture, { fit: fitInto(picture, size, PICTURE_MARGIN), size, colours: coloursOf() })
  })
}

async function render(size: Size, type: string, paint: (pen: CanvasRenderingContext2D) => void): Promise<Blob> {
  const canvas = Object.assign(window.document.createElement('canvas'), size)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('This browser draws no pictures.')
  paint(pen)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.8))
  if (blob === null) throw new Error('This browser made no picture of the graph.')
  return blob
}

/** The colours of the pages as they are shown now. */
function coloursOf(): PictureColours {
  const probe = window.document.body.appendChild(window.document.createElement('span'))
  const known = new Map<string, string>()
  const read = (colour: string) => {
    const found = known.get(colour)
    if (found !== undefined) return found
    probe.style.color = colour
    const { color } = getComputedStyle(probe)
    known.set(colour, color)
    return color
  }
  const types = SLOT_TYPES.map((type) => [slotColour(type), read(slotColour(type))] as const)
  const colours = {
    ground: read('var(--surface-0)'),
    box: read('var(--surface-1)'),
    title: read('var(--surface-2)'),
    edge: read('var(--line-strong)'),
    ink: read('var(--ink)'),
  }
  probe.remove()
  const slots = new Map(types)
  return { ...colours, slot: (type) => slots.get(slotColour(type)) ?? colours.edge }
}

const SLOT_TYPES = ['MODEL', 'CLIP', 'VAE', 'CONDITIONING', 'LATENT', 'IMAGE', 'MASK', 'INT', 'STRING', '*'] as const
