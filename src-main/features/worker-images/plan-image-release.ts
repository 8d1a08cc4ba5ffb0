import { createHash } from 'node:crypto'
import { AppError } from '../../contract/errors.ts'
import { THIS_MACHINE } from '../../contract/machines.ts'
import type { Manifest } from '../../contract/manifest.ts'
import { storedManifest } from '../../contract/manifest.ts'
import type { GraphParameter } from '../../contract/published.ts'
import type { ImagePlan, ImageToDeploy } from '../../contract/worker-image-routes.ts'
import type { DeployedImage, LockedModel } from '../../contract/worker-images.ts'
import { sizeText } from '../../lib/text.ts'
import type { ImageFacts } from '../../runtimes/port.ts'
import type { Endpoint } from '../../storage/storage.ts'
import { endpointsOf } from '../apps/environment-endpoints.ts'
import { presentDirectory } from '../models/rules/layout.ts'
import type { ServiceContext } from '../service-context.ts'
import { checkGraph } from '../workflows/published-graphs.ts'
import { takesWorkflows } from '../workflows/rules/runs/takes-workflows.ts'
import { deliveryOf } from './rules/dockerfile.ts'
import { imageManifest, volumeName, workerResource } from './rules/image-manifest.ts'
import {
  estimateColdStart,
  imageChange,
  lockChanges,
  type Measurements,
  modelPath,
  mountedModels,
  platformLimits,
  warningsSince,
} from './rules/plan-image.ts'

export type ImageServices = Pick<ServiceContext, 'storage' | 'fleet' | 'models' | 'views' | 'readInThread'>

type Place = { readonly app: string; readonly environment: string }

type Before = {
  readonly number: number
  readonly image: DeployedImage | undefined
  readonly parameters: readonly GraphParameter[]
}

const JOBS_READ = 200

/**
 * Compares an image with the deployed one and makes the manifest of its release.
 * @throws AppError BAD_FIELD, NOT_A_WORKFLOW for its graph
 */
export async function planImageRelease(
  service: ImageServices,
  place: Place,
  wanted: ImageToDeploy,
): Promise<{ readonly plan: ImagePlan; readonly manifest: Manifest }> {
  const { storage, fleet, models } = service
  const { lock, graph, target, registryAuth, settings } = wanted
  const machine = wanted.machine ?? storage.apps.environment(place.app, place.environment)?.machine ?? THIS_MACHINE
  const isElsewhere = target !== undefined || machine !== THIS_MACHINE
  if (isElsewhere && lock.worker === 'local')
    throw new AppError('BAD_FIELD', {
      field: 'lock.worker',
      why: `the image has no SDK for workers on ${target ?? machine}. Remove the line from the lock, lock the workflow again, and build the image`,
    })
  if (graph !== undefined) await checkGraph(service, graph)
  const found = await fleet.containerHost?.image(wanted.image).catch(() => undefined)
  const image: DeployedImage = {
    reference: wanted.image,
    pinned: pinnedFor(wanted.image, found, isElsewhere),
    ...(found === undefined ? {} : { sizeBytes: found.bytes }),
    lock,
  }
  const before = deployedBefore(service, place, target)
  const own = (await models.list()).models
  const fileOf = (model: LockedModel) =>
    own.find(
      ({ directory, name }) => name === model.name && presentDirectory(directory) === presentDirectory(model.folder),
    )
  const volume = volumeName(place.app)
  const mounts = mountedModels(lock, (model) =>
    target === undefined ? fileOf(model)?.folder : `network volume ${volume}`,
  )
  const coldStart = estimateColdStart({
    ...measuredSpans(service, place),
    sizeBytes: found?.bytes,
    isThere: found !== undefined && !isElsewhere,
    pulls: fleet.containerHost?.pulls() ?? [],
  })
  const shown = { reference: image.reference, pinned: image.pinned, ...sizesOf(image, before?.image) }
  const facts = { image: shown, mounts, coldStart }
  const limits = platformLimits(facts)
  return {
    plan: {
      ...facts,
      ...(before === undefined ? {} : { from: before.number }),
      changes:
        before?.image === undefined
          ? []
          : [...lockChanges(before.image.lock, lock), ...imageChange(before.image, image)],
      limits,
      warnings: [
        ...(before?.image === undefined
          ? []
          : warningsSince({ ...before, image: before.image }, { image, parameters: graph?.parameters ?? [] })),
        ...(isElsewhere && found?.isInRegistry !== true
          ? [
              `${wanted.image} was not pushed from this machine, so ${target ?? machine} gets whatever its registry has.`,
            ]
          : []),
        ...(!isElsewhere && found === undefined && fleet.containerHost !== undefined
          ? [`${wanted.image} is not on this machine and will be pulled.`]
          : []),
        ...(target === undefined ? mountWarnings(lock.models, fileOf) : volumeWarnings(mounts, volume, target)),
        ...limits
          .filter(({ isOver }) => isOver)
          .map(({ name, value, limit }) => `The ${name} needs ${value}, and the limit is ${limit}.`),
      ],
    },
    manifest: imageManifest({ app: place.app, image, graph, registryAuth, settings, hash }),
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

function pinnedFor(reference: string, found: ImageFacts | undefined, isElsewhere: boolean): string {
  if (found === undefined || (isElsewhere && !found.isInRegistry)) return reference
  return found.pinned
}

function deployedBefore({ storage }: ImageServices, place: Place, target: string | undefined): Before | undefined {
  if (target !== undefined) {
    const [record] = storage.targetDeploys.list({ ...place, target })
    return record && { number: record.number, ...deployedIn(record.manifest) }
  }
  const environment = storage.apps.environment(place.app, place.environment)
  const active = environment && storage.apps.releaseIn(environment.id, 'active')
  return active && { number: active.number, ...deployedIn(active.manifest) }
}

function deployedIn(manifest: string): Omit<Before, 'number'> {
  const { image, resources } = storedManifest.parse(JSON.parse(manifest))
  return { image, parameters: Object.values(resources).flatMap(({ graph }) => graph?.parameters ?? []) }
}

function sizesOf({ sizeBytes }: DeployedImage, before: DeployedImage | undefined) {
  return {
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    ...(before?.sizeBytes === undefined ? {} : { sizeBytesBefore: before.sizeBytes }),
  }
}

function measuredSpans(
  { storage, views }: ImageServices,
  { app, environment }: Place,
): Pick<Measurements, 'starts' | 'firstJobs' | 'endpoint'> {
  const own = endpointsOf(storage, { app, name: environment }).find(
    (endpoint) => endpoint.app.resource === workerResource(app),
  )
  const others = storage.endpoints
    .all()
    .filter(({ config }) => config.container !== undefined && takesWorkflows(config))
  for (const endpoint of own === undefined ? others : [own, ...others]) {
    const starts = views.recentSpans(endpoint.id).coldStartMs
    if (starts.length > 0) return { starts, firstJobs: firstJobsOf(storage, endpoint), endpoint: endpoint.id }
  }
  return { starts: [], firstJobs: [], endpoint: undefined }
}

function firstJobsOf({ jobs }: ImageServices['storage'], { id: endpointId }: Endpoint): readonly number[] {
  const ended = jobs.list({ endpointId, states: ['COMPLETED'], limit: JOBS_READ })
  const first = new Map<string, { readonly startedAt: number; readonly executionMs: number }>()
  for (const { workerId, startedAt, executionMs } of ended) {
    if (workerId === null || startedAt === null || executionMs === null) continue
    if (startedAt < (first.get(workerId)?.startedAt ?? Number.POSITIVE_INFINITY))
      first.set(workerId, { startedAt, executionMs })
  }
  return [...first.values()].map(({ executionMs }) => executionMs)
}

function mountWarnings(
  models: readonly LockedModel[],
  fileOf: (model: LockedModel) => { readonly bytes: number } | undefined,
): readonly string[] {
  return models
    .filter((model) => deliveryOf(model) === 'mounted')
    .flatMap((model) => {
      const file = fileOf(model)
      const path = modelPath(model)
      if (file === undefined) return [`${path} is in none of the model folders. Download it: drydock models download`]
      if (model.sizeBytes === undefined || model.sizeBytes === file.bytes) return []
      return [`${path} has ${sizeText(file.bytes)} here, and ${sizeText(model.sizeBytes)} in the lock.`]
    })
}

const volumeWarnings = (mounts: ImagePlan['mounts'], volume: string, target: string) =>
  mounts.length === 0
    ? []
    : [
        `The models are mounted from the network volume ${volume} of ${target}, below models/. Put these files there before the first job: ${mounts.map(({ path }) => path).join(', ')}.`,
      ]
