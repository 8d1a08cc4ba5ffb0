/**
 * Makes the pictures that a graph loads small enough to go with its job: each gets its share of what a job takes, is kept
 * under a name of its own, and the nodes ask for that. Source: image-workflows, Running a graph.
 */
import { limit } from '../../../../src-main/contract/limits.ts'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { setWidget } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { WantedFile } from '../../../../src-main/domain/workflow/view/images-of.ts'
import { whereIs } from '../../../../src-main/domain/workflow/where-is.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import type { Tab } from '../store/editor-context.ts'
import { assetAddress, uploadAsset } from '../widgets/upload-asset.ts'

// They are sent as base64, four characters for three bytes, and the graph needs some room too.
const SHARE = (3 / 4) * 0.9
const TRIES = 6
const SMALLER = 0.8

/** Scales pictures down, as one step of undo. @returns the new names @throws Error, ApiError with a reason for a person */
export async function scalePictures(
  { client, tab }: { readonly client: Pick<ApiClient, 'call'>; readonly tab: Pick<Tab, 'editor'> },
  files: readonly WantedFile[],
): Promise<readonly string[]> {
  const names = new Set(files.map(({ name }) => name))
  const most = Math.floor((limit('runImagesBytes') * SHARE) / names.size)
  const scaled = new Map<string, string>()
  for (const name of names) {
    const { assets } = await client.call('assetFind', { query: { name } })
    const [asset] = assets
    if (asset === undefined || asset.bytes <= most) continue
    const picture = await scaleTo(await readBlob(asset.id, name), most, name)
    const kept = await uploadAsset(client, picture, scaledName(name, picture.type))
    scaled.set(name, kept.name ?? name)
  }
  if (scaled.size === 0) throw new Error('None of them is on this machine and larger than its share.')
  const { edit, types } = tab.editor.getState()
  const use = (document: WorkflowDocument, { node: payloadId, input, name }: WantedFile) => {
    const [place, value] = [whereIs(document, payloadId), scaled.get(name)]
    if (place === undefined || value === undefined) return document
    return setWidget(document, place.at, { node: place.node, name: input, value, types })
  }
  edit('Scale pictures down', (document) => files.reduce(use, document))
  return [...scaled.values()]
}

async function readBlob(asset: string, name: string): Promise<Blob> {
  const answer = await fetch(assetAddress(asset))
  if (!answer.ok) throw new Error(`${name} is no longer kept.`)
  return answer.blob()
}

async function scaleTo(file: Blob, most: number, name: string): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch((cause: unknown) => {
    throw new Error(`${name} is no picture that a browser can scale.`, { cause })
  })
  // Others than PNG have no transparency that a mask would need.
  const type = file.type === 'image/png' ? 'image/png' : 'image/jpeg'
  let factor = Math.sqrt(most / file.size)
  for (let left = TRIES; left > 0; left--) {
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(bitmap.width * factor)),
      Math.max(1, Math.round(bitmap.height * factor)),
    )
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    const scaled = await canvas.convertToBlob({ type, quality: 0.92 })
    if (scaled.size <= most) return scaled
    factor *= SMALLER
  }
  throw new Error(`${name} could not be made small enough.`)
}

/** `photo.png` -> `photo-scaled.png`. */
function scaledName(name: string, type: string): string {
  const stem = name.replace(/\.[^./]*$/, '')
  return `${stem}-scaled.${type === 'image/png' ? 'png' : 'jpg'}`
}
