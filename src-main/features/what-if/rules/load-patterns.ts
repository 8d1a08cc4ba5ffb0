import type { LoadPattern } from '../../../contract/what-if.ts'

export type Random = () => number

/** Source: the generator mulberry32, in the public domain; 32 bits are enough for spans of ms. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Expected count; the actual one is within a few square roots of it. */
export function expectedArrivals(pattern: LoadPattern): number {
  const { durationMs } = pattern
  switch (pattern.type) {
    case 'steady':
      return (pattern.perSecond * durationMs) / 1000
    case 'burst':
      return (pattern.perSecond * durationMs) / 1000 + Math.ceil(durationMs / pattern.everyMs) * pattern.jobs
    case 'day':
      return ((pattern.lowPerSecond + pattern.highPerSecond) / 2) * (durationMs / 1000)
  }
}

/** Ascending ms from the start. Arrivals are independent, because evenly spaced ones would shorten queues. */
export function patternArrivals(pattern: LoadPattern, seed: number): readonly number[] {
  const random = seededRandom(seed)
  const { durationMs } = pattern
  switch (pattern.type) {
    case 'steady':
      return arrivalsAt(random, { durationMs, most: pattern.perSecond, rate: () => pattern.perSecond })
    case 'burst': {
      const between = arrivalsAt(random, { durationMs, most: pattern.perSecond, rate: () => pattern.perSecond })
      const bursts: number[] = []
      for (let at = 0; at < durationMs; at += pattern.everyMs) for (let n = 0; n < pattern.jobs; n++) bursts.push(at)
      return [...between, ...bursts].sort((a, b) => a - b)
    }
    case 'day': {
      const { lowPerSecond, highPerSecond, dayMs } = pattern
      const swing = (highPerSecond - lowPerSecond) / 2
      // Starts at night with the lowest rate and peaks half a day later.
      const rate = (at: number) => lowPerSecond + swing * (1 - Math.cos((2 * Math.PI * at) / dayMs))
      return arrivalsAt(random, { durationMs, most: highPerSecond, rate })
    }
  }
}

function arrivalsAt(
  random: Random,
  { durationMs, most, rate }: { durationMs: number; most: number; rate: (at: number) => number },
): number[] {
  const times: number[] = []
  if (most <= 0) return times
  const meanGapMs = 1000 / most
  for (let at = gap(random, meanGapMs); at < durationMs; at += gap(random, meanGapMs))
    if (random() * most < rate(at)) times.push(at)
  return times
}

const gap = (random: Random, meanMs: number) => -Math.log(1 - random()) * meanMs
