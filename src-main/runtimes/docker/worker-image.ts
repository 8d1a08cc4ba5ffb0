import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type Docker from 'dockerode'
import type { ContainerSettings } from '../../contract/container.ts'
import type { Log } from '../../lib/clock.ts'
import type { OwnImage, Watch } from '../port.ts'
import { type Builder, buildImage, createPackageImage, TAG_HASH_LENGTH, type WantedPackages } from './build-image.ts'
import { engineMessage } from './engine-messages.ts'

export type WantedImage = WantedPackages & Pick<ContainerSettings, 'gpu' | 'python'>

const LABELS = { 'svc.image': 'worker' }
const FOLDER = 'docker/worker'
const DOCKERFILE = `${FOLDER}/Dockerfile`
const RUNTIME = 'python/svc_worker'
// The version in a tag, like that of python:3.11-slim-bookworm.
const VERSION_IN_TAG = /(?<=:)\d+\.\d+(?=[^:/]*$)/

export type WorkerImageOptions = {
  readonly resources: string
  readonly version: string
  readonly repository?: string | undefined
  readonly log: Log
}

export function createWorkerImage({ resources, version, repository = 'drydock-worker', log }: WorkerImageOptions) {
  const packages = createPackageImage(join(resources, FOLDER))
  let content: Content | undefined
  const read = () => {
    content ??= readContent(resources, version)
    return content
  }

  function base({ python }: Pick<WantedImage, 'python'>): string {
    return python === undefined ? read().base : read().base.replace(VERSION_IN_TAG, python)
  }

  function name(wanted: WantedImage): string {
    const python = base(wanted) === read().base ? undefined : `python${wanted.python}`
    const parts = [
      read().tag,
      packages.id(base(wanted), wanted) ?? python,
      wanted.gpu === undefined ? undefined : 'gpu',
    ]
    return `${repository}:${parts.filter((part) => part !== undefined).join('-')}`
  }

  function packagesName(wanted: WantedImage): string | undefined {
    const id = packages.id(base(wanted), wanted)
    return id === undefined ? undefined : packageImageName(repository, id)
  }

  return {
    name,
    packagesName,
    base,
    buildPackages: (docker: Builder, wanted: WantedImage, watch: Watch): Promise<void> =>
      packages.build(docker, { ...wanted, name: packagesName(wanted) ?? '', base: base(wanted) }, watch),
    build(docker: Builder, wanted: WantedImage, watch: Watch): Promise<void> {
      const options = {
        t: name(wanted),
        dockerfile: DOCKERFILE,
        target: wanted.gpu === undefined ? 'cpu' : 'gpu',
        labels: LABELS,
        buildargs: { BASE: packagesName(wanted) ?? base(wanted) },
        networkmode: 'none',
      }
      return buildImage(docker, { context: resources, files: read().files, options, progress: stepOf }, watch)
    },
    async list(docker: Docker, inUse: ReadonlySet<string>): Promise<readonly OwnImage[]> {
      const images = await docker.listImages({ filters: { reference: [repository] } })
      const old = new Set(oldImages(images, { repository, tag: read().tag, inUse }))
      return images.flatMap(({ RepoTags, Size }) =>
        (RepoTags ?? []).map((image) => ({ name: image, bytes: Size, old: old.has(image) })),
      )
    },
    async removeOld(docker: Docker, inUse: ReadonlySet<string>) {
      const images = await docker.listImages({ filters: { reference: [repository] } })
      for (const image of oldImages(images, { repository, tag: read().tag, inUse })) {
        try {
          await docker.getImage(image).remove()
          log.info('removed an old worker image', { image })
        } catch (error) {
          log.info('an old worker image stays', { image, why: engineMessage(error) })
        }
      }
    },
  }
}

function stepOf(line: string): string | undefined {
  const [, step, of] = /^Step (\d+)\/(\d+) : /.exec(line) ?? []
  return step && `step ${step} of ${of}`
}

type Content = {
  readonly files: readonly string[]
  readonly tag: string
  readonly base: string
}

function readContent(resources: string, version: string): Content {
  const modules = readdirSync(join(resources, RUNTIME), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .map((path) => `${RUNTIME}/${path.split(sep).join('/')}`)
  const files = [DOCKERFILE, ...modules.toSorted()]
  const hash = createHash('sha256')
  for (const file of files) {
    const bytes = readFileSync(join(resources, file))
    hash.update(`${file}\n${bytes.length}\n`).update(bytes)
  }
  const base = /^ARG BASE=(\S+)$/m.exec(readFileSync(join(resources, DOCKERFILE), 'utf8'))?.[1] ?? ''
  return { files, base, tag: `${version}-${hash.digest('hex').slice(0, TAG_HASH_LENGTH)}` }
}

/** Worker image names: `drydock-worker:0.1.0-HASH`, with packages `...-HASH-ID` on `packages-ID`. */
type ImageNames = {
  readonly repository: string
  readonly tag: string
  readonly inUse: ReadonlySet<string>
}

/** Unrequested package images kept, because rebuilding takes minutes and a network. Source: ours; torch takes 5 GB. */
const MAX_PACKAGE_IMAGES = 5

export function oldImages(
  images: readonly Pick<Docker.ImageInfo, 'RepoTags' | 'Created'>[],
  { repository, tag, inUse }: ImageNames,
): readonly string[] {
  const all = images
    .toSorted((a, b) => b.Created - a.Created)
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => name.startsWith(`${repository}:`))
  const ids = all.flatMap((name) => idOf(name, repository) ?? [])
  const isInUse = (id: string) => [...inUse].some((name) => hasPackages(name, id))
  const old = ids.slice(MAX_PACKAGE_IMAGES).filter((id) => !isInUse(id))
  const workers = all.filter(
    (name) =>
      idOf(name, repository) === undefined &&
      (!name.startsWith(`${repository}:${tag}`) || old.some((id) => hasPackages(name, id))),
  )
  // A base image cannot be removed before its dependents.
  return [...workers, ...old.map((id) => packageImageName(repository, id))]
}

function packageImageName(repository: string, id: string): string {
  return `${repository}:packages-${id}`
}

const hasPackages = (name: string, id: string) => name.includes(`-${id}`)

function idOf(name: string, repository: string): string | undefined {
  const start = packageImageName(repository, '')
  return name.startsWith(start) ? name.slice(start.length) : undefined
}
