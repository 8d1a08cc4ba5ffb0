/** Noise, schedules and samplers of the sketch worker against what mathematics says of them. */
import { describe, expect, it } from 'vitest'
import { gaussian } from '../../../../resources/node/sketch/sampling/noise.ts'
import { strengthOf } from '../../../../resources/node/sketch/sampling/sample.ts'
import { runSampler } from '../../../../resources/node/sketch/sampling/samplers.ts'
import { shifted, sigmasOf } from '../../../../resources/node/sketch/sampling/schedules.ts'

const take = (count: number, next: () => number) => Array.from({ length: count }, next)

describe('noise', () => {
  it('is normal, and the same for the same seed and place in the batch', () => {
    const values = take(20_000, gaussian(2n ** 64n - 1n))
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(Math.abs(variance - 1)).toBeLessThan(0.05)
    expect(take(5, gaussian(2n ** 64n - 1n))).toEqual(values.slice(0, 5))
    expect(take(5, gaussian(2n ** 64n - 1n, 1))).not.toEqual(values.slice(0, 5))
  })
})

describe('a schedule', () => {
  it.for(['normal', 'karras', 'simple', 'sgm_uniform', 'exponential'])('%s goes down to nothing', (name) => {
    const sigmas = sigmasOf(name, 20)
    expect(sigmas).toHaveLength(21)
    expect(sigmas).toEqual(sigmas.toSorted((a, b) => b - a))
    expect([sigmas[0]?.toFixed(3), sigmas.at(-1)]).toEqual(['14.615', 0])
  })

  it('karras has equal steps of the seventh root, from the most to the least noise', () => {
    const roots = sigmasOf('karras', 5)
      .slice(0, -1)
      .map((sigma) => sigma ** (1 / 7))
    const steps = roots.slice(1).map((root, at) => ((roots[at] ?? 0) - root).toFixed(6))
    expect(new Set(steps).size).toBe(1)
    expect(((roots.at(-1) ?? 0) ** 7).toFixed(4)).toBe('0.0292')
  })

  it('with less denoise is the end of a longer one', () => {
    expect(sigmasOf('normal', 10, 0.5)).toEqual(sigmasOf('normal', 20).slice(-11))
    expect(sigmasOf('normal', 10, 0)).toEqual([])
  })

  it('with a shift has more noise for longer', () => {
    const plain = sigmasOf('normal', 10)
    const moved = shifted(plain, 3)
    expect(moved.slice(1, -2).filter((sigma, at) => sigma <= (plain[at + 1] ?? 0))).toEqual([])
    expect([moved[0]?.toFixed(3), moved.at(-1)]).toEqual(['14.615', 0])
  })
})

describe('a sampler', () => {
  // Pictures of one normal distribution: where noise leads is known exactly.
  const SPREAD = 0.5
  async function errorOf(name: string, steps: number): Promise<number> {
    const sigmas = sigmasOf('karras', steps)
    const [first = 1] = sigmas
    const [end = 0] = await runSampler(name, Float32Array.of(first), {
      denoise: (cells, sigma) => cells.map((value) => (value * SPREAD ** 2) / (SPREAD ** 2 + sigma ** 2)),
      sigmas,
      noise: () => Float32Array.of(0),
      onStep: async () => undefined,
    })
    return Math.abs(end - (first * SPREAD) / Math.sqrt(SPREAD ** 2 + first ** 2))
  }

  it.for(['euler', 'heun', 'dpmpp_2m', 'ddim'])('%s comes closer with more steps', async (name) => {
    const errors = [await errorOf(name, 6), await errorOf(name, 12), await errorOf(name, 48)]
    expect(errors).toEqual(errors.toSorted((a, b) => b - a))
    expect(errors[2]).toBeLessThan(0.03)
  })

  it('of second order is closer than euler with the same steps', async () => {
    const euler = await errorOf('euler', 20)
    expect(await errorOf('heun', 20)).toBeLessThan(euler / 3)
    expect(await errorOf('dpmpp_2m', 20)).toBeLessThan(euler / 3)
  })
})

it('guidance is stronger with less and less effect', () => {
  const strengths = [0, 0.5, 1, 3, 7, 20].map((cfg) => strengthOf(cfg, undefined))
  expect(strengths).toEqual(strengths.toSorted((a, b) => a - b))
  expect(strengthOf(7, undefined)).toBeCloseTo(1)
  expect(strengthOf(1, 3.5)).toBeCloseTo(1)
})
