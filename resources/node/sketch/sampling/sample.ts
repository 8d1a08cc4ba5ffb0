/** From a latent with noise to a latent with a picture. */
import { mix } from '../picture/chance.ts'
import { lookOf } from '../picture/look.ts'
import { nextTurn } from '../turns.ts'
import {
  CHANNELS,
  type Conditioning,
  type Guider,
  type Known,
  type Latent,
  type LatentItem,
  type Noise,
} from '../values.ts'
import { createDenoiser, type Denoiser } from './denoiser.ts'
import { drawn, masked, NOTHING_KNOWN, sceneKnown, together } from './known.ts'
import { gaussian } from './noise.ts'
import { runSampler } from './samplers.ts'
import { SIGMA_MAX, timeOf } from './schedules.ts'

/** What is sampled, and how. */
export type Task = {
  readonly guider: Guider
  readonly sampler: string
  readonly sigmas: readonly number[]
  readonly noise: Noise
  readonly latent: Latent
}

/** Who watches. */
export type Watcher = {
  readonly signal: AbortSignal
  /** After each step: of how many, and what the picture would be. */
  readonly onStep: (step: number, steps: number, denoised: Float32Array) => void
}

// Compositions among which the noise chooses; at first they shine through each other.
const COMPOSITIONS = 3
// From this share of the most noise on, nothing is left of what was there before.
const FRESH = 0.98

/** Samples all pictures of a batch, one after the other. @throws what the signal was aborted with */
export async function sample(task: Task, watcher: Watcher): Promise<Latent> {
  const { latent, sigmas } = task
  if (sigmas.length < 2) return latent
  const items: LatentItem[] = []
  for (const [index, item] of latent.items.entries()) {
    const steps = (sigmas.length - 1) * latent.items.length
    const onStep = (step: number, denoised: Float32Array) =>
      watcher.onStep(index * (sigmas.length - 1) + step + 1, steps, denoised)
    items.push(await sampleOne(task, item, index, { ...watcher, onStep }))
  }
  return { ...latent, items }
}

async function sampleOne(
  { guider, sampler, sigmas, noise, latent }: Task,
  item: LatentItem,
  index: number,
  { signal, onStep }: { readonly signal: AbortSignal; readonly onStep: (step: number, denoised: Float32Array) => void },
): Promise<LatentItem> {
  const { width, height, mask } = latent
  const length = width * height * CHANNELS
  const next = noise === 'none' ? () => 0 : gaussian(noise.seed, index)
  const begin = Float32Array.from({ length }, next)
  const [first = 0] = sigmas
  const isFresh = first >= SIGMA_MAX * FRESH
  const layout = isFresh || item.layout === undefined ? layoutOf(begin) : item.layout
  const { knowns, denoiser } = await plan(guider, { item, latent, layout, amount: isFresh ? 1 : timeOf(first), signal })
  // Where nothing may be changed the denoiser says what was there.
  const denoise = (cells: Float32Array, sigma: number) => storeMasked(denoiser.denoise(cells, sigma), item.cells, mask)
  const cells = await runSampler(
    sampler,
    item.cells.map((value, at) => value + first * (begin[at] ?? 0)),
    {
      denoise,
      sigmas,
      noise: () => Float32Array.from({ length }, next),
      async onStep(step, denoised) {
        onStep(step, denoised)
        await nextTurn(signal) // a cancel is heard here
      },
    },
  )
  const shares = denoiser.shares()
  const best = shares.indexOf(Math.max(...shares))
  const shown = together(knowns.map((known, at) => ({ known, share: shares[at] ?? 0 })))
  const known = mask === undefined ? shown : masked(item.known ?? NOTHING_KNOWN, shown, mask, { width, height })
  return { cells, known, layout: isFresh ? compositionOf(layout, best) : layout }
}

const compositionOf = (layout: number, at: number) => mix(layout + at * 7919)

type Beginning = {
  readonly item: LatentItem
  readonly latent: Latent
  readonly layout: number
  readonly amount: number
  readonly signal: AbortSignal
}

/** The pictures that the prompt may mean here, and the denoiser that knows them. */
async function plan(
  { model, positive, negative, cfg }: Guider,
  { item, latent: { width, height }, layout, amount, signal }: Beginning,
): Promise<{ readonly knowns: readonly Known[]; readonly denoiser: Denoiser }> {
  const look = lookOf(positive.words, model.style)
  const knowns =
    amount === 1
      ? Array.from({ length: COMPOSITIONS }, (_, at) => sceneKnown(look, compositionOf(layout, at)))
      : [drawn(item.known ?? NOTHING_KNOWN, sceneKnown(look, layout), amount, { width, height })]
  const away = awayFrom(negative, model.style, layout).cells(width, height)
  await nextTurn(signal)
  const means: Float32Array[] = []
  for (const known of knowns) {
    means.push(known.cells(width, height))
    await nextTurn(signal)
  }
  const denoiser = createDenoiser({
    width,
    height,
    means,
    away,
    strength: strengthOf(cfg, positive.guidance),
  })
  return { knowns, denoiser }
}

// How much of the picture that a negative prompt means is avoided; the rest is grey. Source: ours, as it matters a
// little.
const NEGATIVE_SHARE = 0.35

function awayFrom(negative: Conditioning | undefined, style: string, layout: number): Known {
  if (negative === undefined || negative.words.length === 0) return NOTHING_KNOWN
  return together([
    { known: NOTHING_KNOWN, share: 1 - NEGATIVE_SHARE },
    { known: sceneKnown(lookOf(negative.words, style), mix(layout + 1)), share: NEGATIVE_SHARE },
  ])
}

/**
 * How far a picture goes away from grey. Models answer to guidance with less and less: 1 is pale, 7 as it should be, 20
 * burnt. Source: ours, a logarithm through 7.
 */
export function strengthOf(cfg: number, guidance: number | undefined): number {
  const asked = guidance === undefined ? cfg : guidance * 2 * Math.max(1, cfg)
  const most = Math.log1p(7)
  return asked < 1 ? asked * (0.55 + (0.45 * Math.log1p(1)) / most) : 0.55 + (0.45 * Math.log1p(asked)) / most
}

/** The composition that noise means: by which side of nothing 16 of its sums are. */
function layoutOf(noise: Float32Array): number {
  const sums = new Float64Array(16)
  for (let at = 0; at < noise.length; at += 1) sums[at % 16] = (sums[at % 16] ?? 0) + (noise[at] ?? 0)
  return sums.reduce((bits, sum, at) => bits | (sum > 0 ? 1 << at : 0), 0)
}

function storeMasked(denoised: Float32Array, before: Float32Array, mask: Float32Array | undefined): Float32Array {
  if (mask === undefined) return denoised
  return denoised.map((value, at) => {
    const was = before[at] ?? 0
    return was + (value - was) * (mask[Math.floor(at / CHANNELS)] ?? 1)
  })
}
