/** Schedules: how much noise is left at each step. Source: the field's samplers, for models that predict noise. */

// The training of the common models: 1000 steps, betas from 0.00085 to 0.012, their roots in equal steps.
const STEPS = 1000
const SIGMAS = trainedSigmas()
const [LEAST = 0.03, MOST = 14.6] = [SIGMAS[0], SIGMAS[STEPS - 1]]
const KARRAS_RHO = 7

/** The most noise that a schedule begins with. */
export const SIGMA_MAX: number = MOST

function trainedSigmas(): readonly number[] {
  let kept = 1
  return Array.from({ length: STEPS }, (_, at) => {
    const root = Math.sqrt(0.00085) + (at / (STEPS - 1)) * (Math.sqrt(0.012) - Math.sqrt(0.00085))
    kept *= 1 - root * root
    return Math.sqrt((1 - kept) / kept)
  })
}

/** The noise at a place in the training, between two of its steps by their logarithms. */
function sigmaAt(time: number): number {
  const left = Math.min(STEPS - 1, Math.max(0, Math.floor(time)))
  const right = Math.min(STEPS - 1, left + 1)
  const [one = LEAST, other = LEAST] = [SIGMAS[left], SIGMAS[right]]
  return Math.exp(Math.log(one) + (Math.log(other) - Math.log(one)) * Math.min(1, Math.max(0, time - left)))
}

/** How far the training had gone at this noise, 0 to 1. */
export function timeOf(sigma: number): number {
  const at = SIGMAS.findIndex((one) => one >= sigma)
  return at < 0 ? 1 : at / (STEPS - 1)
}

const evenly = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, at) => (count === 1 ? from : from + ((to - from) * at) / (count - 1)))

/** Karras and others 2022, equation 5. */
export function karras(steps: number, least = LEAST, most = MOST, rho = KARRAS_RHO): readonly number[] {
  const [from, to] = [most ** (1 / rho), least ** (1 / rho)]
  return [...evenly(0, 1, steps).map((t) => (from + t * (to - from)) ** rho), 0]
}

const simple = (steps: number) => [
  ...Array.from({ length: steps }, (_, at) => SIGMAS[STEPS - 1 - Math.floor((at * STEPS) / steps)] ?? LEAST),
  0,
]

const SCHEDULES: Readonly<Record<string, (steps: number) => readonly number[]>> = {
  normal: (steps) => [...evenly(STEPS - 1, 0, steps).map(sigmaAt), 0],
  sgm_uniform: (steps) => [
    ...evenly(STEPS - 1, 0, steps + 1)
      .slice(0, -1)
      .map(sigmaAt),
    0,
  ],
  karras: (steps) => karras(steps),
  exponential: (steps) => [...evenly(Math.log(MOST), Math.log(LEAST), steps).map(Math.exp), 0],
  simple,
  ddim_uniform: simple,
}

/** The name of a schedule that is here: of another one the nearest is `normal`. */
export const knownSchedule = (name: string): string => (Object.hasOwn(SCHEDULES, name) ? name : 'normal')

// Of a schedule that only ends in the steps asked for. Source: ours, 100 times the most steps; a tiny `denoise` would
// ask for billions.
const WHOLE_MAX = 1_000_000

/**
 * The noise before each step, and 0 after the last.
 * @param denoise 1 begins with noise alone; below, with the last part of a longer schedule
 */
export function sigmasOf(name: string, steps: number, denoise = 1): readonly number[] {
  const make = SCHEDULES[knownSchedule(name)] ?? simple
  if (denoise >= 0.9999) return make(steps)
  if (denoise <= 0) return []
  return make(Math.min(WHOLE_MAX, Math.floor(steps / denoise))).slice(-(steps + 1))
}

/** Moves the noise towards the beginning, as models with a shift want it; 1 leaves it. */
export function shifted(sigmas: readonly number[], shift: number): readonly number[] {
  if (shift === 1 || shift <= 0) return sigmas
  return sigmas.map((sigma) => {
    if (sigma === 0) return 0
    const time = timeOf(sigma)
    return Math.min(MOST, sigmaAt(((shift * time) / (1 + (shift - 1) * time)) * (STEPS - 1)))
  })
}
