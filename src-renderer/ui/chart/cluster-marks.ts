/** Something that happened at a moment, ms since the epoch. */
export type AtMoment = { readonly at: number }

/** Marks that stand so near to each other that they are one on the screen, newest last. */
export type MarkCluster<Mark extends AtMoment> = {
  readonly marks: readonly Mark[]
  /** Where it stands: 0 is the begin of the span, 1 its end. */
  readonly place: number
}

/**
 * Puts marks of a span into places that do not overlap.
 * @param places how many there is room for
 */
export function clusterMarks<Mark extends AtMoment>(
  marks: readonly Mark[],
  { from, to, places }: { readonly from: number; readonly to: number; readonly places: number },
): readonly MarkCluster<Mark>[] {
  const span = Math.max(1, to - from)
  const inSpan = marks.filter(({ at }) => at >= from && at <= to).toSorted((one, other) => one.at - other.at)
  const byPlace = Map.groupBy(inSpan, ({ at }) => Math.min(places - 1, Math.floor(((at - from) / span) * places)))
  return [...byPlace].map(([place, group]) => ({ marks: group, place: (place + 0.5) / places }))
}
