/**
 * The rows that are drawn, always as many: each has a slot by its index, so that a row that scrolls out of sight lends
 * its elements to one that comes in: to make them anew is most of what scrolling costs. The elements therefore do not
 * stand in the order of the rows, which `aria-rowindex` tells.
 * @param range.startIndex first row in sight
 * @param range.size rows that may be in sight
 * @param range.overscan rows drawn before and after them
 * @param range.count rows there are
 * @returns the index of the row in each slot
 */
export function slotsOf({
  startIndex,
  size,
  overscan,
  count,
}: {
  readonly startIndex: number
  readonly size: number
  readonly overscan: number
  readonly count: number
}): number[] {
  const length = Math.min(count, size + 2 * overscan)
  const from = Math.max(0, Math.min(startIndex - overscan, count - length))
  const slots = new Array<number>(length)
  for (let index = from; index < from + length; index++) slots[index % length] = index
  return slots
}
