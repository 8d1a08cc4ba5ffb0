/** Limits an agent's calls per span and in parallel. Source: ours. */

export type CallLimits = ReturnType<typeof createCallLimits>

// Short, so that bursts take little of the service at a time.
const SPAN_MS = 1000

export function createCallLimits({
  perSpan,
  atOnce,
  now,
}: {
  readonly perSpan: number
  readonly atOnce: number
  readonly now: () => number
}) {
  let start = Number.NEGATIVE_INFINITY
  let used = 0
  let open = 0
  return {
    enter(count: number = 1): (() => void) | string {
      if (now() - start >= SPAN_MS) {
        start = now()
        used = 0
      }
      if (open + count > atOnce)
        return `There are ${open} calls open, and ${atOnce} may be. Wait for one of them to be answered.`
      if (used + count > perSpan)
        return `This agent called ${used} times within a second, and ${perSpan} are allowed. Wait a second, and ask for more at once: lists take filters, and \`job_wait\` waits.`
      used += count
      open += count
      let isOpen = true
      return () => {
        if (isOpen) open -= count
        isOpen = false
      }
    },
  }
}
