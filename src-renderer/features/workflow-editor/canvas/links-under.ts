/** The links that a node is let go on: those whose middle is within its box, the nearest to its own middle first. Pure. */
import type { FlowLink } from './flow-types.ts'
import type { Box } from './geometry.ts'
import { placesOfLink } from './link-ends.ts'
import type { Flow } from './use-flow.ts'

/** Ids of the links. @param box of the node, where it is let go */
export function linksUnder({ links, byId }: Pick<Flow, 'links' | 'byId'>, box: Box): readonly string[] {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  return links
    .flatMap((link) => {
      const at = middleOfLink(link, byId)
      const isIn =
        at !== undefined && at.x > box.x && at.x < box.x + box.width && at.y > box.y && at.y < box.y + box.height
      return isIn ? [{ id: link.id, away: Math.hypot(at.x - middle.x, at.y - middle.y) }] : []
    })
    .sort((one, other) => one.away - other.away)
    .map(({ id }) => id)
}

// The curve of a link is the same from both of its ends; one with points is taken at the one in its middle.
function middleOfLink(link: FlowLink, byId: Flow['byId']) {
  const points = link.data?.points ?? []
  const point = points[Math.floor(points.length / 2)]
  if (point !== undefined) return { x: point.pos[0], y: point.pos[1] }
  const ends = placesOfLink(link, byId)
  return ends && { x: (ends.from.x + ends.to.x) / 2, y: (ends.from.y + ends.to.y) / 2 }
}
