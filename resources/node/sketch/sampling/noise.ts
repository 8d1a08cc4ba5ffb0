/** Noise from a seed: the same for the same seed, all 64 bits of it. */

const BITS_64 = (1n << 64n) - 1n

/** Numbers of a normal distribution, one after the other. @param index place of a picture in its batch */
export function gaussian(seed: bigint, index = 0): () => number {
  const next = uniform(seed, index)
  let spare: number | undefined
  return () => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    // Box and Muller: two at a time.
    const radius = Math.sqrt(-2 * Math.log(1 - next()))
    const turn = 2 * Math.PI * next()
    spare = radius * Math.sin(turn)
    return radius * Math.cos(turn)
  }
}

/** Numbers from 0 up to 1: xoshiro128+, its state filled from the seed by splitmix64. */
function uniform(seed: bigint, index: number): () => number {
  const [, own] = splitMix(BigInt(index))
  const [state, first] = splitMix(index === 0 ? seed & BITS_64 : (seed & BITS_64) ^ own)
  const [, second] = splitMix(state)
  let [a, b] = [Number(first >> 32n) | 0, Number(first & 0xffffffffn) | 0]
  let [c, d] = [Number(second >> 32n) | 0, Number(second & 0xffffffffn) | 1]
  return () => {
    const result = (a + d) >>> 0
    const t = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << 11) | (d >>> 21)
    return result / 0x100000000
  }
}

function splitMix(before: bigint): readonly [state: bigint, value: bigint] {
  const state = (before + 0x9e3779b97f4a7c15n) & BITS_64
  let value = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & BITS_64
  value = ((value ^ (value >> 27n)) * 0x94d049bb133111ebn) & BITS_64
  return [state, value ^ (value >> 31n)]
}
