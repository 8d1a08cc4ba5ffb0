import { homedir } from 'node:os'
import { whileTagIsOwn } from '../../features/worker-images/adapters/claim-tag.ts'
import { createMask } from '../../features/workers/rules/log-lines.ts'
import {
  type BuiltImage,
  buildRepository,
  ImageBuildFailed,
  type RepositoryBuild,
} from '../../runtimes/docker/build-repository.ts'
import { openLocalEngine } from '../../runtimes/docker/local-engine.ts'
import type { Watch } from '../../runtimes/port.ts'
import { buildsFolder } from './create-workflow-image-builder.ts'

export type ImageBuilder = Awaited<ReturnType<typeof openImageBuilder>>

export async function openImageBuilder(env: Readonly<Record<string, string | undefined>>) {
  const surroundings = { env, home: env.HOME ?? homedir(), platform: process.platform }
  const docker = await openLocalEngine(surroundings)
  return {
    async build(build: RepositoryBuild, { report, signal }: Watch): Promise<BuiltImage> {
      const mask = createMask(Object.values(build.secrets ?? {}).map((value) => Buffer.from(value).toString()))
      try {
        const claim = { folder: buildsFolder(surroundings), engine: env.DOCKER_HOST, tag: build.tag }
        return await whileTagIsOwn(claim, () =>
          buildRepository(docker, build, surroundings, { report: (text) => report(mask(text)), signal }),
        )
      } catch (error) {
        signal.throwIfAborted()
        const lines = error instanceof ImageBuildFailed ? error.lines : []
        throw new ImageBuildFailed(mask(error instanceof Error ? error.message : String(error)), lines.map(mask))
      }
    },
    tag: (image: string, repo: string, tag: string): Promise<unknown> => docker.getImage(image).tag({ repo, tag }),
    remove: (image: string): Promise<unknown> => docker.getImage(image).remove({ force: true }),
  }
}
