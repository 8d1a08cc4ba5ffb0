/**
 * The image of workers for handlers, made on this machine when it is first needed: resources/docker/worker. Its name
 * holds a hash of all that it is made of, so another svc_worker is another image, and two versions do not meet.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type Docker from 'dockerode'
import type { Log } from '../../services/ports.ts'
import { type EngineTold, readTold } from './engine-stream.ts'
import { engineWords, shortened } from './engine-words.ts'
import type { Watch } from './shared-work.ts'

/** Which of the two. */
export type WorkerImageVariant = 'cpu' | 'gpu'

/** The worker image. */
export type WorkerImage = {
  /** The image that it is built on. */
  readonly base: () => string
  readonly name: (variant: WorkerImageVariant) => string
  /** Builds it; the base is there. Rejects with the last lines of the build. */
  readonly build: (docker: Docker, variant: WorkerImageVariant, watch: Watch) => Promise<void>
}

const LABELS = { 'svc.image': 'worker' }
const DOCKERFILE = 'docker/worker/Dockerfile'
const RUNTIME = 'python/svc_worker'
const HASH_LENGTH = 12
// Lines of a failed build that are told; source: ours, so that the reason still fits a line of a terminal.
const LAST_LINES = 5
// What the builder says of its own containers and images.
const NO_NEWS = /^ ---> |^Removing intermediate /

/** What the image is made of. */
export type WorkerImageOptions = {
  /** Folder of this program that holds `docker` and `python`. */
  readonly resources: string
  readonly version: string
  /** Name of the image without its tag. */
  readonly repository?: string | undefined
  readonly log: Log
}

/** Makes what knows the image; nothing is read yet. */
export function createWorkerImage({
  resources,
  version,
  repository = 'drydock-worker',
  log,
}: WorkerImageOptions): WorkerImage {
  let content: { readonly files: readonly string[]; readonly tag: string } | undefined
  // Read once, when it is first asked for: the files of a program that runs do not change but by a new start.
  const read = () => {
    content ??= readContent(resources, version)
    return content
  }
  const name = (variant: WorkerImageVariant) => `${repository}:${read().tag}${variant === 'gpu' ? '-gpu' : ''}`

  // Unused ones of other versions. One that a container has is kept: the engine refuses to remove it.
  async function removeOld(docker: Docker): Promise<void> {
    const images = await docker.listImages({ filters: { reference: [repository] } })
    const old = images
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .filter((tag) => !tag.startsWith(`${repository}:${read().tag}`))
    for (const tag of old) {
      try {
        await docker.getImage(tag).remove()
        log.info('removed an old worker image', { image: tag })
      } catch (error) {
        log.info('an old worker image stays', { image: tag, why: engineWords(error) })
      }
    }
  }

  return {
    base: () => /^ARG BASE=(\S+)$/m.exec(readFileSync(join(resources, DOCKERFILE), 'utf8'))?.[1] ?? '',
    name,
    async build(docker, variant, { tell, signal }) {
      const lines: string[] = []
      tell('building the worker image')
      try {
        const stream = await docker.buildImage(
          { context: resources, src: [...read().files] },
          {
            t: name(variant),
            dockerfile: DOCKERFILE,
            target: variant,
            labels: LABELS,
            networkmode: 'none', // it needs nothing from outside
            rm: true,
            forcerm: true,
            abortSignal: signal,
          },
        )
        for await (const told of readTold(stream)) {
          if (told.error !== undefined) throw new Error(shortened(told.error))
          const step = stepOf(told)
          if (step !== undefined) tell(`building the worker image: ${step}`)
          lines.push(...(told.stream ?? '').split('\n').filter((line) => line.trim() !== '' && !NO_NEWS.test(line)))
        }
      } catch (error) {
        signal.throwIfAborted()
        const last = lines.slice(-LAST_LINES).join('; ')
        const words = `the worker image could not be built: ${engineWords(error)}`
        throw new Error(last === '' ? words : `${words}. Its last lines: ${last}`, { cause: error })
      }
      await removeOld(docker)
    },
  }
}

function stepOf({ stream = '' }: EngineTold): string | undefined {
  const [, step, of] = /^Step (\d+)\/(\d+) : /.exec(stream) ?? []
  return step && `step ${step} of ${of}`
}

function readContent(resources: string, version: string): { readonly files: readonly string[]; readonly tag: string } {
  const modules = readdirSync(join(resources, RUNTIME), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .map((path) => `${RUNTIME}/${path.split(sep).join('/')}`)
  const files = [DOCKERFILE, ...modules.toSorted()]
  const hash = createHash('sha256')
  for (const file of files) {
    const bytes = readFileSync(join(resources, file))
    hash.update(`${file}\n${bytes.length}\n`).update(bytes)
  }
  return { files, tag: `${version}-${hash.digest('hex').slice(0, HASH_LENGTH)}` }
}
