import type { MetricsPoint } from '../../../../src-main/contract/management.ts'

/** What charts draw: one moment for each step of the span, and the point of it where something was measured. */
export type MetricsGrid = { readonly times: readonly number[]; readonly points: readonly (MetricsPoint | undefined)[] }

/**
 * Lays points on a grid of all steps of a span, so that time without a point is seen as a gap. The step that goes on is
 * there only once something of it was written.
 * @param span all in ms
 */
export function toGrid(
  points: readonly MetricsPoint[],
  { from, to, stepMs }: { readonly from: number; readonly to: number; readonly stepMs: number },
): MetricsGrid {
  const first = Math.ceil(from / stepMs)
  const byTime = new Map(points.map((point) => [point.at, point]))
  const now = Math.floor(to / stepMs)
  const end = byTime.has(now * stepMs) ? now + 1 : now
  const times = Array.from({ length: Math.max(0, end - first) }, (_step, at) => (first + at) * stepMs)
  return { times, points: times.map((at) => byTime.get(at)) }
}

/** One value of each point; null where there is none. */
export function valuesOf(
  grid: MetricsGrid,
  read: (point: MetricsPoint) => number | undefined,
): readonly (number | null)[] {
  return grid.points.map((point) => (point === undefined ? null : (read(point) ?? null)))
}

/** Workers of a point in these states. */
export function workersIn({ workers }: MetricsPoint, ...states: readonly string[]): number {
  return states.reduce((sum, state) => sum + (workers[state] ?? 0), 0)
}
