import type { CatalogEntry } from '../../../src-main/contract/catalog.ts'
import { isNodeHandler } from '../../../src-main/contract/endpoint.ts'
import { serverOfEntry } from '../../../src-main/domain/workflow/server/entry-server.ts'

/** The entries that a search finds: those that this machine can run first. */
export function findEntries(entries: readonly CatalogEntry[], text: string): readonly CatalogEntry[] {
  const words = text.toLowerCase().split(/\s+/)
  return entries
    .filter(({ name, summary, model = '', image = '', id }) => {
      const said = [id, name, summary, model, image].join(' ').toLowerCase()
      return words.every((word) => said.includes(word))
    })
    .toSorted((one, other) => Number(one.missing.length > 0) - Number(other.missing.length > 0))
}

/** What an entry wants of the machine, in a few words each. */
export function wantsOf({ image, handler, settings, gpuMemoryGb, diskGb, platform }: CatalogEntry): readonly string[] {
  if (image === undefined) return [wantsOfHandler(handler ?? '', settings)]
  const container = settings.container as { readonly gpu?: string } | undefined
  return [
    container?.gpu === undefined ? '' : gpuMemoryGb === undefined ? 'NVIDIA GPU' : `NVIDIA GPU with ${gpuMemoryGb} GB`,
    diskGb === undefined ? '' : `${diskGb} GB of disk`,
    platform ?? '',
  ].filter((want) => want !== '')
}

// The Node of Drydock itself runs handlers of TypeScript.
function wantsOfHandler(handler: string, settings: CatalogEntry['settings']): string {
  const server = serverOfEntry(settings)
  if (server !== undefined) return `needs a ComfyUI server at ${server}`
  return isNodeHandler(handler) ? 'needs nothing else' : 'needs Python alone'
}
