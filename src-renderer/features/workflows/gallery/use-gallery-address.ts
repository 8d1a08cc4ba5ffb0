import { useSearchParts } from '../../../ui/use-search-parts.ts'

/** What the address of the gallery says. */
export type GalleryAddress = {
  readonly workflow: string | undefined
  readonly endpoint: string | undefined
  readonly q: string | undefined
  /** A run that another is to be chosen for, to compare the two. */
  readonly compare: string | undefined
}

/** A part of it. */
export type GalleryPart = keyof GalleryAddress

/** The filters of the gallery, as its address has them. */
export function useGalleryAddress() {
  const [search, setParts] = useSearchParts()
  const read = (part: GalleryPart) => search.get(part) || undefined
  const set = (part: GalleryPart, value: string | undefined) => setParts({ [part]: value })
  const address: GalleryAddress = {
    workflow: read('workflow'),
    endpoint: read('endpoint'),
    q: read('q'),
    compare: read('compare'),
  }
  return { address, set }
}
