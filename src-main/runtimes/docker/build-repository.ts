import { stripVTControlCharacters } from 'node:util'
import type Docker from 'dockerode'
import type { ImageBuildEvent } from '../../contract/worker-images.ts'
import type { Watch } from '../port.ts'
import { type ContextSource, openBuildContext } from './build-context.ts'
import { type BuildKitBuild, buildWithBuildKit } from './buildkit.ts'
import { dockerLogin, registryName } from './docker-login.ts'
import type { EngineSurroundings } from './find-engine.ts'

export type RepositoryBuild = Omit<BuildKitBuild, 'context' | 'dockerfile' | 'login' | 'env' | 'epoch'> & {
  readonly source: ContextSource
}

export type BuiltImage = {
  readonly id: string
  readonly sizeBytes: number
  readonly context: { readonly files: number; readonly bytes: number }
}

export class ImageBuildFailed extends Error {
  override readonly name = 'ImageBuildFailed'
  readonly lines: readonly string[]

  constructor(message: string, lines: readonly string[], options?: ErrorOptions) {
    super(message, options)
    this.lines = lines
  }
}

export async function buildRepository(
  docker: Docker,
  { source, ...build }: RepositoryBuild,
  surroundings: Pick<EngineSurroundings, 'env' | 'home'>,
  { report, signal }: Watch,
): Promise<BuiltImage> {
  const { archive, dockerfile, sent } = await openBuildContext(source)
  const steps = followSteps(report)
  try {
    const login = (registry: string) => dockerLogin(surroundings, registryName(registry))
    const wanted = { ...build, context: archive, dockerfile, login, env: surroundings.env }
    await buildWithBuildKit(docker, wanted, { report: steps.take, signal })
  } catch (error) {
    signal.throwIfAborted()
    throw archive.errored ?? steps.failure(error)
  } finally {
    archive.destroy()
  }
  const { Id: id, Size: sizeBytes } = await docker.getImage(build.tag).inspect()
  return { id, sizeBytes, context: sent() }
}

// Last lines of a failed step, and characters kept of each step; source: ours, so that the reason fits a terminal.
const LAST_LINES = 15
const OUTPUT_CHARACTERS = 16_384
const STEP = /^\[(?!internal\])/

function followSteps(report: Watch['report']) {
  const names = new Map<string, string>()
  const output = new Map<string, string>()
  const shown = new Set<string>()
  let failed: string | undefined
  let latest: string | undefined
  return {
    take(event: ImageBuildEvent): void {
      if (event.kind === 'output') {
        output.set(event.id, `${output.get(event.id) ?? ''}${event.text}`.slice(-OUTPUT_CHARACTERS))
        return
      }
      const { id, name, state } = event
      if (!STEP.test(name)) return
      names.set(id, name)
      if (state === 'failed') failed ??= id
      if (state === 'waits' || shown.has(id)) return
      shown.add(id)
      latest = id
      report(state === 'cached' ? `${name} (cached)` : name)
    },
    failure(error: unknown): ImageBuildFailed {
      const why = error instanceof Error ? error.message : String(error)
      const [, exitCode] = /(?:exit (?:code|status):?|returned a non-zero code:) (\d+)/.exec(why) ?? []
      const step = names.get(failed ?? latest ?? '')
      const lines = stripVTControlCharacters(output.get(failed ?? latest ?? '') ?? '')
        .split(/[\r\n]+/)
        .filter((line) => line.trim() !== '')
      const reason = exitCode === undefined ? why : `exit code ${exitCode}`
      const head = step === undefined ? reason : `step ${step} failed: ${reason}`
      return new ImageBuildFailed(head, lines.slice(-LAST_LINES), { cause: error })
    },
  }
}
