import type { Waypoint } from '../../../../src-main/domain/workflow/edit/reroutes.ts'
import type { Point } from '../store/canvas-store.ts'

const LEAST_BEND = 30

/** The curve of a link, through its points: out to the right, and in from the left. */
export function linkPath(from: Point, to: Point, points: readonly Waypoint[]): string {
  const stops = [from, ...points.map(({ pos: [x, y] }) => ({ x, y })), to]
  const curves = stops.slice(1).map((stop, at) => curve(stops[at] ?? from, stop))
  return `M${from.x},${from.y}${curves.join('')}`
}

function curve(from: Point, to: Point): string {
  const bend = Math.max(LEAST_BEND, Math.min(Math.abs(to.x - from.x) / 2, 400))
  const near = Math.hypot(to.x - from.x, to.y - from.y) / 2
  const away = Math.min(bend, Math.max(near, 10))
  return `C${from.x + away},${from.y} ${to.x - away},${to.y} ${to.x},${to.y}`
}

/** How many points of a link come before a place on it. */
export function segmentAt(place: Point, from: Point, to: Point, points: readonly Waypoint[]): number {
  const stops = [from, ...points.map(({ pos: [x, y] }) => ({ x, y })), to]
  const away = stops.slice(1).map((stop, at) => distanceToLine(place, stops[at] ?? from, stop))
  return away.indexOf(Math.min(...away))
}

function distanceToLine(place: Point, from: Point, to: Point): number {
  const [width, height] = [to.x - from.x, to.y - from.y]
  const length = width * width + height * height
  const along = length === 0 ? 0 : ((place.x - from.x) * width + (place.y - from.y) * height) / length
  const at = Math.min(1, Math.max(0, along))
  return Math.hypot(place.x - (from.x + at * width), place.y - (from.y + at * height))
}
