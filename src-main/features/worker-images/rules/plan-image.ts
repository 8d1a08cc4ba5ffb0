import { limit } from '../../../contract/limits.ts'
import type { GraphParameter } from '../../../contract/published.ts'
import type {
  ColdStart,
  ImagePlan,
  LockChange,
  MountedModel,
  SizeLimit,
} from '../../../contract/worker-image-routes.ts'
import type { DeployedImage, LockedModel, WorkflowLock } from '../../../contract/worker-images.ts'
import { counted, sizeText } from '../../../lib/text.ts'
import { GIB } from '../../../lib/units.ts'
import { COMFYUI_NAME } from './comfyui.ts'

import { deliveryOf } from './dockerfile.ts'

type Facts = ReadonlyMap<string, string>

const SHORT_COMMIT = 12
const HIDDEN = '(hidden)'

const short = (hash: string) => hash.slice(0, SHORT_COMMIT)

function sourceText(source: WorkflowLock['nodes'][number]['source']): string {
  if ('registry' in source) return `version ${source.version}`
  if ('repository' in source) return short(source.commit)
  return source.sha256 === undefined ? source.path : `${source.path} (${short(source.sha256)})`
}

function modelText(model: LockedModel): string {
  const { sizeBytes, sha256 } = model
  const facts = [deliveryOf(model), sizeBytes === undefined ? undefined : sizeText(sizeBytes), sha256 && short(sha256)]
  return facts.filter((fact) => fact !== undefined).join(', ')
}

export const modelPath = ({ folder, name }: Pick<LockedModel, 'folder' | 'name'>): string => `${folder}/${name}`

const PARTS: Readonly<Record<Exclude<LockChange['part'], 'image'>, (lock: WorkflowLock) => Facts>> = {
  base: ({ base: { image, python, cuda } }) =>
    new Map([['image', image], ['Python', python], ...(cuda === undefined ? [] : [['CUDA', cuda] as const])]),
  comfyui: ({ comfyui: { commit, version } }) =>
    new Map([[COMFYUI_NAME, version === undefined ? short(commit) : `${version} (${short(commit)})`]]),
  nodes: ({ nodes }) => new Map(nodes.map(({ name, source }) => [name, sourceText(source)])),
  python: ({ python }) => new Map(python.map(({ name, version }) => [name, version])),
  models: ({ models }) => new Map(models.map((model) => [modelPath(model), modelText(model)])),
  inputs: ({ inputs }) => new Map(inputs.map(({ name, sha256 }) => [name, short(sha256)])),
  environment: ({ environment }) => new Map(Object.entries(environment)),
  workflow: ({ workflow }) => new Map(workflow === undefined ? [] : [[workflow.file, short(workflow.sha256)]]),
}

const NOT_BUILT: readonly LockChange['part'][] = ['environment', 'workflow']

export function lockChanges(before: WorkflowLock, after: WorkflowLock): LockChange[] {
  return Object.entries(PARTS).flatMap(([part, factsOf]) => {
    const [from, to] = [factsOf(before), factsOf(after)]
    const shown = (value: string | undefined) => (part === 'environment' && value !== undefined ? HIDDEN : value)
    return [...new Set([...from.keys(), ...to.keys()])].sort().flatMap((name): LockChange[] => {
      const [was, is] = [from.get(name), to.get(name)]
      if (was === is) return []
      const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
      const sides = { from: shown(was), to: shown(is) }
      const given = Object.fromEntries(Object.entries(sides).filter(([, value]) => value !== undefined))
      return [{ part: part as LockChange['part'], name, change, ...given }]
    })
  })
}

type Released = { readonly image: DeployedImage; readonly parameters: readonly GraphParameter[] }

export function warningsSince(before: Released, now: Released): string[] {
  const { reference, pinned, lock } = now.image
  const changes = lockChanges(before.image.lock, lock).filter(({ part }) => !NOT_BUILT.includes(part))
  // A tag that is not pinned may name a new image.
  const isStale = changes.length > 0 && pinned !== reference && pinned === before.image.pinned
  const lost = before.parameters.filter(({ name }) => now.parameters.every((one) => one.name !== name))
  return [
    ...(isStale
      ? [
          `${reference} is the deployed image, built before ${changes.map(({ name }) => name).join(', ')} changed in the lock. Build it again: drydock workflow image`,
        ]
      : []),
    ...lost.map(
      ({ name, node, input }) =>
        `Clients can no longer set ${name}. To keep this parameter, add --expose ${node}.${input}=${name}`,
    ),
  ]
}

export function mountedModels(
  { models }: WorkflowLock,
  locationOf: (model: LockedModel) => string | undefined,
): MountedModel[] {
  return models
    .filter((model) => deliveryOf(model) === 'mounted')
    .map((model) => {
      const from = locationOf(model)
      return {
        path: modelPath(model),
        ...(model.sizeBytes === undefined ? {} : { sizeBytes: model.sizeBytes }),
        ...(from === undefined ? {} : { from }),
      }
    })
}

/** Spans in ms; an empty list means that nothing was measured. */
export type Measurements = {
  readonly sizeBytes: number | undefined
  readonly isThere: boolean
  readonly pulls: readonly { readonly bytes: number; readonly tookMs: number }[]
  readonly starts: readonly number[]
  readonly firstJobs: readonly number[]
  readonly endpoint: string | undefined
}

const median = (spans: readonly number[]) => spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)]

export function estimateColdStart(facts: Measurements): ColdStart {
  const { starts, firstJobs, endpoint } = facts
  const pull = pullOf(facts)
  const [startMs, firstPictureMs] = [median(starts), median(firstJobs)]
  const on = (count: number, what: string) =>
    count === 0 ? `no ${what} yet` : `${counted(count, what)} of ${endpoint}`
  const parts = { pullMs: pull.ms, startMs, firstPictureMs }
  const known = Object.values(parts).filter((ms) => ms !== undefined)
  return {
    ...Object.fromEntries(Object.entries(parts).filter(([, ms]) => ms !== undefined)),
    ...(known.length === 3 ? { totalMs: known.reduce((sum, ms) => sum + ms, 0) } : {}),
    measured: [
      `pull: ${pull.measured}`,
      `start: ${on(starts.length, 'start')}`,
      `first picture: ${on(firstJobs.length, 'first job')}`,
    ],
  }
}

function pullOf({ sizeBytes, isThere, pulls }: Measurements): { readonly ms?: number; readonly measured: string } {
  if (isThere) return { ms: 0, measured: 'the image is already there' }
  const bytes = pulls.reduce((sum, one) => sum + one.bytes, 0)
  const tookMs = pulls.reduce((sum, one) => sum + one.tookMs, 0)
  if (bytes === 0 || tookMs === 0) return { measured: 'no pull since the service started' }
  const speed = `${sizeText((1000 * bytes) / tookMs)} per second in ${counted(pulls.length, 'pull')}`
  if (sizeBytes === undefined) return { measured: `${speed}; the size of the image is not known` }
  return { ms: Math.round((sizeBytes * tookMs) / bytes), measured: speed }
}

/** Largest container disk and network volume in GB. Source: docs/spec/platform.md, 5: the management API. */
const DISK_MOST_GB = 100_000
const VOLUME_MOST_GB = 4096
const VOLUME_LEAST_GB = 10

export const diskGbFor = (sizeBytes: number): number => Math.max(5, Math.ceil((1.2 * sizeBytes) / GIB))

export function volumeGbFor(mounts: readonly Pick<MountedModel, 'sizeBytes'>[]): number {
  const bytes = mounts.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0)
  return Math.max(VOLUME_LEAST_GB, Math.ceil((1.1 * bytes) / GIB))
}

export function platformLimits(
  {
    image: { sizeBytes },
    mounts,
    coldStart: { pullMs = 0, startMs },
  }: Pick<ImagePlan, 'image' | 'mounts' | 'coldStart'>,
  initializingMs: number = limit('initializingMs'),
): SizeLimit[] {
  const disk = sizeBytes === undefined ? undefined : diskGbFor(sizeBytes)
  const volume = mounts.length === 0 ? undefined : volumeGbFor(mounts)
  const seconds = (ms: number) => `${Math.ceil(ms / 1000)} s`
  return [
    ...(disk === undefined ? [] : [row('container disk', disk, DISK_MOST_GB, (gb) => `${gb} GB`)]),
    ...(volume === undefined ? [] : [row('network volume', volume, VOLUME_MOST_GB, (gb) => `${gb} GB`)]),
    ...(startMs === undefined ? [] : [row('start of a worker', pullMs + startMs, initializingMs, seconds)]),
  ]
}

const row = (name: string, value: number, most: number, text: (value: number) => string): SizeLimit => ({
  ...{ name, value: text(value), limit: text(most), isOver: value > most },
})

export function imageChange(
  before: Pick<DeployedImage, 'pinned' | 'reference' | 'sizeBytes'>,
  after: Pick<DeployedImage, 'pinned' | 'reference' | 'sizeBytes'>,
): readonly LockChange[] {
  if (before.pinned === after.pinned) return []
  const text = ({ reference, sizeBytes }: typeof before) =>
    sizeBytes === undefined ? reference : `${reference}, ${sizeText(sizeBytes)}`
  return [{ part: 'image', name: 'image', change: 'changed', from: text(before), to: text(after) }]
}
