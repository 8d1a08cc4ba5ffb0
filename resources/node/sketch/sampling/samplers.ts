/** Samplers: ways from noise to a picture. Source: Karras and others 2022; DPM-Solver++(2M); DDIM with eta 0. */

/** What is left of a picture without the noise. */
export type Denoise = (cells: Float32Array, sigma: number) => Float32Array

/** What a sampler is told. */
export type Course = {
  readonly denoise: Denoise
  readonly sigmas: readonly number[]
  /** Fresh noise, for samplers that add some. */
  readonly noise: () => Float32Array
  /** After each step, with the picture as it would be; the next step waits for it. */
  readonly onStep: (step: number, denoised: Float32Array) => Promise<void>
}

type Sampler = (start: Float32Array, course: Course) => Promise<Float32Array>

/** Combines two arrays place by place. */
const combine = (a: Float32Array, b: Float32Array, f: (a: number, b: number) => number) =>
  a.map((value, at) => f(value, b[at] ?? 0))

/** One step along the straight line through the denoised picture. */
const towards = (cells: Float32Array, denoised: Float32Array, ratio: number) =>
  combine(cells, denoised, (x, d) => d + (x - d) * ratio)

async function walk(
  start: Float32Array,
  { denoise, sigmas, onStep }: Course,
  move: (cells: Float32Array, denoised: Float32Array, step: number) => Float32Array,
): Promise<Float32Array> {
  let cells = start
  for (let step = 0; step < sigmas.length - 1; step += 1) {
    const denoised = denoise(cells, sigmas[step] ?? 0)
    cells = move(cells, denoised, step)
    await onStep(step, denoised)
  }
  return cells
}

const euler: Sampler = (start, course) =>
  walk(start, course, (cells, denoised, step) => {
    const [sigma = 1, next = 0] = [course.sigmas[step], course.sigmas[step + 1]]
    return towards(cells, denoised, next / sigma)
  })

const eulerAncestral: Sampler = (start, course) =>
  walk(start, course, (cells, denoised, step) => {
    const [sigma = 1, next = 0] = [course.sigmas[step], course.sigmas[step + 1]]
    const up = Math.min(next, Math.sqrt((next ** 2 * (sigma ** 2 - next ** 2)) / sigma ** 2))
    const down = Math.sqrt(next ** 2 - up ** 2)
    const moved = towards(cells, denoised, down / sigma)
    return up === 0 ? moved : combine(moved, course.noise(), (x, n) => x + n * up)
  })

/** Euler, then once more with the slope at the end of the step. */
const heun: Sampler = (start, course) =>
  walk(start, course, (cells, denoised, step) => {
    const [sigma = 1, next = 0] = [course.sigmas[step], course.sigmas[step + 1]]
    const there = towards(cells, denoised, next / sigma)
    if (next === 0) return there
    const again = course.denoise(there, next)
    return cells.map((x, at) => {
      const slope = (x - (denoised[at] ?? 0)) / sigma
      const slopeThere = ((there[at] ?? 0) - (again[at] ?? 0)) / next
      return x + ((slope + slopeThere) / 2) * (next - sigma)
    })
  })

/** Two steps' worth of memory: the change of the denoised picture is carried on. */
const dpmpp2m: Sampler = (start, course) => {
  let before: Float32Array | undefined
  return walk(start, course, (cells, denoised, step) => {
    const [last, sigma = 1, next = 0] = [course.sigmas[step - 1], course.sigmas[step], course.sigmas[step + 1]]
    const earlier = before
    before = denoised
    if (earlier === undefined || last === undefined || next === 0) return towards(cells, denoised, next / sigma)
    const ratio = Math.log(last / sigma) / Math.log(sigma / next)
    const carried = combine(denoised, earlier, (d, e) => d + (d - e) / (2 * ratio))
    return towards(cells, carried, next / sigma)
  })
}

/** DDIM: from the picture and the noise that were told apart, at the noise of the next step. */
const ddim: Sampler = (start, course) =>
  walk(start, course, (cells, denoised, step) => {
    const [sigma = 1, next = 0] = [course.sigmas[step], course.sigmas[step + 1]]
    // In the scale of a model that keeps its variance: the same line as Euler, rounded otherwise.
    const [kept, keptNext] = [1 / Math.sqrt(1 + sigma ** 2), 1 / Math.sqrt(1 + next ** 2)]
    return combine(cells, denoised, (x, d) => {
      const direction = (x * kept - d * kept) / Math.sqrt(1 - kept ** 2)
      return (d * keptNext + direction * Math.sqrt(Math.max(0, 1 - keptNext ** 2))) / keptNext
    })
  })

const SAMPLERS: Readonly<Record<string, Sampler>> = {
  euler,
  euler_ancestral: eulerAncestral,
  heun,
  dpmpp_2m: dpmpp2m,
  ddim,
}

/** The sampler that is here for a name: itself, or the nearest. */
export function knownSampler(name: string): string {
  if (Object.hasOwn(SAMPLERS, name)) return name
  if (/heun|dpm_2/.test(name)) return 'heun'
  if (/ancestral|sde|lcm/.test(name)) return 'euler_ancestral'
  return /dpm|uni_pc|res_|deis|lms/.test(name) ? 'dpmpp_2m' : 'euler'
}

/** Runs a sampler from cells with all their noise. */
export const runSampler = (name: string, start: Float32Array, course: Course): Promise<Float32Array> =>
  (SAMPLERS[knownSampler(name)] ?? euler)(start, course)
