import type { Pair } from '../../../../src-main/domain/workflow/document/values.ts'
import type { Point } from '../store/canvas-store.ts'
import type { FlowLink } from './flow-types.ts'
import { placesOfLink } from './link-ends.ts'
import { segmentAt } from './link-path.ts'
import type { Flow } from './use-flow.ts'

/** A point that a link is to be led through. `before`: how many of its points come before it, counted from the output. */
export type PointOnLink = { readonly linkId: string; readonly pos: Pair; readonly before?: number }

/** A point for a link, between those of its points that it lies between; after all of them where its ends are not drawn. */
export function pointOn(link: FlowLink, at: Point, { byId }: Pick<Flow, 'byId'>): PointOnLink {
  const point = { linkId: link.id, pos: [at.x, at.y] } as const
  const ends = placesOfLink(link, byId)
  return ends === undefined ? point : { ...point, before: segmentAt(at, ends.from, ends.to, link.data?.points ?? []) }
}
