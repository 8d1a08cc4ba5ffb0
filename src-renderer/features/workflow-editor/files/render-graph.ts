import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { Caller } from '../../../api-client/client.ts'
import { slotColour } from '../graph/colours.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import type { OpenDocument } from './open-tabs.ts'
import { fitInto, graphPicture, type PictureColours, type PictureSize, paintGraph } from './paint-graph.ts'

const THUMBNAIL: PictureSize = { width: 480, height: 300 }
const THUMBNAIL_MARGIN = 16
const PICTURE_MARGIN = 40
// Canvases end at about 16,384 px; more than this is slow and useless.
const PICTURE_MAX_PX = 4096

export function renderThumbnail(document: WorkflowDocument, types: NodeTypes): Promise<Blob> {
  const picture = graphPicture(document, types)
  const fit = fitInto(picture, THUMBNAIL, THUMBNAIL_MARGIN)
  return render(THUMBNAIL, 'image/webp', (pen) => {
    paintGraph(pen, picture, { fit, size: THUMBNAIL, colours: { ...coloursOf(), ...QUIET, ground: undefined } })
  })
}

// Half transparent, because the background may be light or dark when it is viewed.
const QUIET = {
  box: 'oklch(60% 0.01 260 / 22%)',
  title: 'oklch(60% 0.01 260 / 28%)',
  edge: 'oklch(60% 0.01 260 / 70%)',
  ink: 'oklch(58% 0.01 260)',
} as const

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

async function render(size: PictureSize, type: string, paint: (pen: CanvasRenderingContext2D) => void): Promise<Blob> {
  const canvas = Object.assign(window.document.createElement('canvas'), size)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('This browser cannot draw pictures.')
  paint(pen)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.8))
  if (blob === null) throw new Error('This browser could not draw the graph.')
  return blob
}

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

const drawn = new WeakMap<OpenDocument, WorkflowDocument>()

/**
 * On failure the previous thumbnail stays.
 * @returns whether there is a new one
 */
export async function saveThumbnail(client: Caller, open: OpenDocument): Promise<boolean> {
  const { document, types } = open.tab.editor.getState()
  const { workflowId } = open.tab
  if (drawn.get(open) === document) return false
  drawn.set(open, document)
  try {
    const { id } = await uploadAsset(client, await renderThumbnail(document, types), undefined)
    if (id === open.autosave.state.getState().workflow.thumbnail) return false
    const changed = await client.call('workflowUpdate', { path: { workflowId }, body: { thumbnail: id } })
    open.autosave.setThumbnail(changed.thumbnail)
    return true
  } catch {
    return false
  }
}
