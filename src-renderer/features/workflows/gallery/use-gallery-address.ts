import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

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
  const [search, setSearch] = useSearchParams()
  const read = (part: GalleryPart) => search.get(part) || undefined
  const set = useCallback(
    (part: GalleryPart, value: string | undefined) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === undefined || value === '') next.delete(part)
          else next.set(part, value)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  const address: GalleryAddress = {
    workflow: read('workflow'),
    endpoint: read('endpoint'),
    q: read('q'),
    compare: read('compare'),
  }
  return { address, set }
}
