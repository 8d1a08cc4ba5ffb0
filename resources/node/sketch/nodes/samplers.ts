/** Samplers in one node, and in parts. */
import type { Inputs } from '../graph/inputs.ts'
import type { NodeRun, Surroundings } from '../graph/node-run.ts'
import { previewOf } from '../raster/write-picture.ts'
import { sample, type Task } from '../sampling/sample.ts'
import { knownSampler } from '../sampling/samplers.ts'
import { karras, knownSchedule, shifted, sigmasOf } from '../sampling/schedules.ts'
import type { Guider, Latent, Value } from '../values.ts'

async function run(task: Task, { signal, onStep, note }: Surroundings): Promise<Latent> {
  const { width, height } = task.latent
  const used = knownSampler(task.sampler)
  if (used !== task.sampler) note(`The stand-in has no sampler ${task.sampler}: ${used} was used instead`)
  return sample(task, {
    signal,
    onStep: (step, steps, denoised) => onStep(step, steps, () => previewOf(denoised, width, height)),
  })
}

function schedule(
  name: string,
  { steps, denoise, shift }: { steps: number; denoise: number; shift: number },
  { note }: Surroundings,
) {
  const used = knownSchedule(name)
  if (used !== name) note(`The stand-in has no schedule ${name}: ${used} was used instead`)
  return shifted(sigmasOf(used, steps, denoise), shift)
}

function guiderOf(inputs: Inputs): Guider {
  return {
    model: inputs.take('model', 'MODEL').model,
    positive: inputs.take('positive', 'CONDITIONING').conditioning,
    negative: inputs.take('negative', 'CONDITIONING').conditioning,
    cfg: inputs.number('cfg'),
  }
}

const kSampler: NodeRun = async (inputs, surroundings) => {
  const guider = guiderOf(inputs)
  const [steps, denoise] = [inputs.number('steps'), inputs.number('denoise')]
  const sigmas = schedule(inputs.text('scheduler'), { steps, denoise, shift: guider.model.shift }, surroundings)
  const task = {
    guider,
    sigmas,
    sampler: inputs.text('sampler_name'),
    noise: { seed: inputs.whole('seed') },
    latent: inputs.take('latent_image', 'LATENT').latent,
  }
  return [{ kind: 'LATENT', latent: await run(task, surroundings) }]
}

const kSamplerAdvanced: NodeRun = async (inputs, surroundings) => {
  const guider = guiderOf(inputs)
  const all = schedule(
    inputs.text('scheduler'),
    { steps: inputs.number('steps'), denoise: 1, shift: guider.model.shift },
    surroundings,
  )
  const [start, end] = [inputs.number('start_at_step'), inputs.number('end_at_step')]
  const part = all.slice(Math.min(start, all.length - 1), Math.min(end, all.length - 1) + 1)
  // Without leftover noise the last step goes to the end.
  const sigmas =
    inputs.text('return_with_leftover_noise') === 'enable' || part.length < 2 ? part : [...part.slice(0, -1), 0]
  const task = {
    guider,
    sigmas,
    sampler: inputs.text('sampler_name'),
    noise: inputs.text('add_noise') === 'disable' ? ('none' as const) : { seed: inputs.whole('noise_seed') },
    latent: inputs.take('latent_image', 'LATENT').latent,
  }
  return [{ kind: 'LATENT', latent: await run(task, surroundings) }]
}

const custom =
  (make: (inputs: Inputs) => Pick<Task, 'guider' | 'noise'>): NodeRun =>
  async (inputs, surroundings) => {
    const { guider, noise } = make(inputs)
    const task = {
      guider,
      noise,
      sampler: inputs.take('sampler', 'SAMPLER').name,
      sigmas: shifted(inputs.take('sigmas', 'SIGMAS').sigmas, 1),
      latent: inputs.take('latent_image', 'LATENT').latent,
    }
    const latent: Value = { kind: 'LATENT', latent: await run(task, surroundings) }
    return [latent, latent]
  }

/** By class. */
export const SAMPLERS: Readonly<Record<string, NodeRun>> = {
  KSampler: kSampler,
  KSamplerAdvanced: kSamplerAdvanced,
  SamplerCustom: custom((inputs) => ({
    guider: guiderOf(inputs),
    noise: inputs.flag('add_noise') ? { seed: inputs.whole('noise_seed') } : 'none',
  })),
  SamplerCustomAdvanced: custom((inputs) => ({
    guider: inputs.take('guider', 'GUIDER').guider,
    noise: inputs.take('noise', 'NOISE').noise,
  })),
  RandomNoise: (inputs) => [{ kind: 'NOISE', noise: { seed: inputs.whole('noise_seed') } }],
  KSamplerSelect: (inputs) => [{ kind: 'SAMPLER', name: inputs.text('sampler_name') }],
  BasicScheduler(inputs, surroundings) {
    const { shift } = inputs.take('model', 'MODEL').model
    const [steps, denoise] = [inputs.number('steps'), inputs.number('denoise')]
    return [{ kind: 'SIGMAS', sigmas: schedule(inputs.text('scheduler'), { steps, denoise, shift }, surroundings) }]
  },
  KarrasScheduler(inputs) {
    const [least, most, rho] = [inputs.number('sigma_min'), inputs.number('sigma_max'), inputs.number('rho')]
    return [{ kind: 'SIGMAS', sigmas: karras(inputs.number('steps'), least, most, rho) }]
  },
  CFGGuider: (inputs) => [{ kind: 'GUIDER', guider: guiderOf(inputs) }],
  BasicGuider(inputs) {
    const { model } = inputs.take('model', 'MODEL')
    const positive = inputs.take('conditioning', 'CONDITIONING').conditioning
    return [{ kind: 'GUIDER', guider: { model, positive, negative: undefined, cfg: 1 } }]
  },
}
