import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { whileTagIsOwn } from '../../features/worker-images/adapters/claim-tag.ts'
import { createContextPacker, unpackContext } from '../../features/worker-images/adapters/pack-context.ts'
import { openStepTimes } from '../../features/worker-images/adapters/step-times.ts'
import { buildWorkerImage, type ImageBuildRequest } from '../../features/worker-images/build-image.ts'
import type { ImageFiles, ImageOptions } from '../../features/worker-images/rules/dockerfile.ts'
import { buildWithBuildKit } from '../../runtimes/docker/buildkit.ts'
import { dockerLogin } from '../../runtimes/docker/docker-login.ts'
import { openLocalEngine } from '../../runtimes/docker/local-engine.ts'
import { PYTHON_PACKAGES, RESOURCES } from '../../shipped-files/root.ts'

export type ImageBuilderOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly lockFolder: string
  readonly modelFile: (name: string) => string
}

const PROGRAMS = ['layer.py', 'fetch.py']
// The first is started; it uses the other where the image has no other SDK.
const WORKER = ['comfy_worker', 'svc_worker']

export async function shippedParts(): Promise<Pick<ImageOptions, 'programs' | 'worker'>> {
  const texts = await Promise.all(PROGRAMS.map((name) => readFile(join(RESOURCES, 'docker/workflow', name), 'utf8')))
  const worker = WORKER.map((module) => ({ module, folder: join(PYTHON_PACKAGES, module) }))
  return {
    programs: Object.fromEntries(PROGRAMS.map((name, at) => [name, texts[at] ?? ''])),
    worker: worker.every(({ folder }) => existsSync(folder)) ? worker : [],
  }
}

export const cacheFolder = ({ env, home }: Pick<ImageBuilderOptions, 'env' | 'home'>): string =>
  join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'drydock')

export const buildsFolder = (options: Pick<ImageBuilderOptions, 'env' | 'home'>): string =>
  join(cacheFolder(options), 'image-builds')

export function createImageBuilder(options: ImageBuilderOptions) {
  const ports = {
    packContext: createContextPacker(options),
    times: openStepTimes(join(cacheFolder(options), 'image-build-times.json')),
    clock: { steady: () => performance.now() },
  }
  return {
    write: (image: ImageFiles, folder: string, signal: AbortSignal): Promise<void> =>
      unpackContext(ports.packContext(image, image.sources, signal), folder),
    async build(request: ImageBuildRequest, watch: Parameters<typeof buildWorkerImage>[2]) {
      const docker = await openLocalEngine(options)
      const engine = {
        build: (build: Parameters<typeof buildWithBuildKit>[1], following: Parameters<typeof buildWithBuildKit>[2]) =>
          buildWithBuildKit(
            docker,
            { ...build, env: options.env, login: (registry) => dockerLogin(options, registry) },
            following,
          ),
        sizeOf: async (image: string) => (await docker.getImage(image).inspect()).Size,
      }
      const claim = { folder: buildsFolder(options), engine: options.env.DOCKER_HOST, tag: request.tag }
      return whileTagIsOwn(claim, () => buildWorkerImage({ ...ports, engine }, request, watch))
    },
    tag: async (image: string, repo: string, tag: string): Promise<unknown> =>
      (await openLocalEngine(options)).getImage(image).tag({ repo, tag }),
  }
}
