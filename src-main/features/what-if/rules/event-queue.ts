export type EventQueue<Event> = {
  readonly add: (at: number, event: Event) => void
  readonly next: () => { readonly at: number; readonly event: Event } | undefined
}

type Planned<Event> = { readonly at: number; readonly order: number; readonly event: Event }

/** A binary heap: a hundred thousand jobs plan about three hundred thousand events. */
export function createEventQueue<Event>(): EventQueue<Event> {
  const heap: Planned<Event>[] = []
  let order = 0
  const isSooner = (a: Planned<Event>, b: Planned<Event>) => a.at < b.at || (a.at === b.at && a.order < b.order)

  function sink(moved: Planned<Event>): void {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const first = heap[left]
      if (first === undefined) break
      const second = heap[left + 1]
      const isRight = second !== undefined && isSooner(second, first)
      const child = isRight ? second : first
      if (!isSooner(child, moved)) break
      heap[at] = child
      at = isRight ? left + 1 : left
    }
    heap[at] = moved
  }

  return {
    add(at, event) {
      const planned = { at, order: order++, event }
      let place = heap.length
      while (place > 0) {
        const above = (place - 1) >> 1
        const parent = heap[above]
        if (parent === undefined || !isSooner(planned, parent)) break
        heap[place] = parent
        place = above
      }
      heap[place] = planned
    },
    next() {
      const [first] = heap
      const last = heap.pop()
      if (first === undefined || last === undefined) return undefined
      if (heap.length > 0) sink(last)
      return first
    },
  }
}

type InLine = { readonly place: number; readonly priority?: number }

/** By priority, then arrival; a returned job regains its place. */
export function createLine<Job extends InLine>() {
  const byPriority = new Map<number, ReturnType<typeof createLineOfEqual<Job>>>()
  let highestFirst: readonly ReturnType<typeof createLineOfEqual<Job>>[] = []
  let size = 0

  function lineOf({ priority = 0 }: Job) {
    const known = byPriority.get(priority)
    if (known !== undefined) return known
    const line = createLineOfEqual<Job>()
    byPriority.set(priority, line)
    highestFirst = [...byPriority].toSorted(([one], [other]) => other - one).map(([, each]) => each)
    return line
  }

  const next = () => highestFirst.find((line) => line.first() !== undefined)
  return {
    size: () => size,
    first: () => next()?.first(),
    oldest: () =>
      highestFirst.reduce<Job | undefined>((found, line) => {
        const first = line.first()
        return first === undefined || (found !== undefined && found.place < first.place) ? found : first
      }, undefined),
    add(job: Job) {
      size += 1
      lineOf(job).add(job)
    },
    take() {
      size -= 1
      next()?.take()
    },
    giveBack(job: Job) {
      size += 1
      lineOf(job).giveBack(job)
    },
  }
}

function createLineOfEqual<Job extends InLine>() {
  let line: Job[] = []
  let head = 0
  return {
    first: () => line[head],
    add: (job: Job) => void line.push(job),
    take() {
      head += 1
      // Removes taken jobs in large pieces, as single removals would move all waiting ones.
      if (head < 1024 || head * 2 < line.length) return
      line = line.slice(head)
      head = 0
    },
    giveBack(job: Job) {
      const after = line.findIndex((other, at) => at >= head && other.place > job.place)
      line.splice(after < 0 ? line.length : after, 0, job)
    },
  }
}

const STEPS = 120

/** The maximum in each part of a span; later values are dropped. */
export function createSteps(spanMs: number) {
  const stepMs = Math.max(1, spanMs) / STEPS
  const waiting: number[] = Array(STEPS).fill(0)
  const workers: number[] = Array(STEPS).fill(0)
  let last = { waiting: 0, workers: 0 }
  let filled = 0

  function fill(to: number): void {
    for (; filled < Math.min(to, STEPS); filled++) {
      waiting[filled] = Math.max(waiting[filled] ?? 0, last.waiting)
      workers[filled] = Math.max(workers[filled] ?? 0, last.workers)
    }
  }

  return {
    note(at: number, waitingNow: number, workersNow: number): void {
      const step = Math.floor(at / stepMs)
      fill(step)
      last = { waiting: waitingNow, workers: workersNow }
      if (step >= STEPS) return
      waiting[step] = Math.max(waiting[step] ?? 0, waitingNow)
      workers[step] = Math.max(workers[step] ?? 0, workersNow)
    },
    read() {
      fill(STEPS)
      return { stepMs, waiting, workers }
    },
  }
}
