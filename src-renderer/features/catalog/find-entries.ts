import type { CatalogEntry } from '../../../src-main/contract/catalog.ts'

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

/** A name that no endpoint has yet: the entry's id, with a number where it is taken. */
export function freeName(id: string, taken: readonly string[]): string {
  if (!taken.includes(id)) return id
  const next = Array.from({ length: taken.length + 1 }, (_name, at) => `${id}-${at + 2}`)
  return next.find((name) => !taken.includes(name)) ?? id
}

/** What an entry wants of the machine, in a few words each. */
export function wantsOf({ image, settings, gpuMemoryGb, diskGb, platform }: CatalogEntry): readonly string[] {
  if (image === undefined) return ['needs Python alone']
  const container = settings.container as { readonly gpu?: string } | undefined
  return [
    container?.gpu === undefined ? '' : gpuMemoryGb === undefined ? 'NVIDIA GPU' : `NVIDIA GPU with ${gpuMemoryGb} GB`,
    diskGb === undefined ? '' : `${diskGb} GB of disk`,
    platform ?? '',
  ].filter((want) => want !== '')
}
