import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import type { Session } from '../../../../app/cli/session.ts'
import { stoppable } from '../../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { BuildResult } from '../../../../contract/build.ts'
import { hasHubFile, withHub } from '../../../endpoints/commands/worker-repository.ts'
import {
  buildImageOf,
  type ImageBuildOptions,
  withRepository,
} from '../../../worker-images/commands/build-repository.ts'
import { versionOfImage, workerManifest } from '../../../worker-images/rules/worker-manifest.ts'
import { packManifest } from '../../adapters/pack-manifest.ts'
import { builtApp } from '../build-app.ts'
import { checkedApp, deployTarget } from './app-target.ts'
import { type DeployOptions, deployApp } from './deploy-app.ts'

export type RepositoryOptions = Omit<ImageBuildOptions, 'target'> & {
  readonly stage?: string
  readonly preset?: string
  readonly variable?: readonly string[]
  readonly gpu?: string
}

export async function deployRepository(
  source: string,
  { stage: target, preset, variable, gpu, ...options }: RepositoryOptions & DeployOptions,
  session: Session,
  surroundings: Surroundings,
): Promise<void> {
  const { client, output, service } = session
  if (service.keyFile === undefined || options.on !== undefined)
    throw usageError(
      'The image is built on this machine, and the workers would run on another one. Build it with `drydock image build` under a name of your registry, push it with `docker push`, and give it to an endpoint with `drydock endpoint update ENDPOINT --image IMAGE`.',
    )
  const given = Object.fromEntries((variable ?? []).map(readVariable))
  await stoppable(
    surroundings,
    (signal) => `The deploy was stopped by ${signal}. Nothing was changed.`,
    (signal) => {
      const shown = { output, surroundings, signal }
      return withRepository(source, shown, async (repository) => {
        const { folder, name } = repository
        const app = checkedApp(builtApp({ cwd: name, env: surroundings.env }))
        const known = await variablesOf(client, app, options.env)
        const container = gpu === undefined ? {} : { gpu }
        const hub = (await hasHubFile(folder))
          ? { hub: folder, ...(preset === undefined ? {} : { preset }) }
          : undefined
        if (hub === undefined && preset !== undefined) throw usageError(`${folder} has no .runpod/hub.json.`)
        const settings = await withHub({ env: given, container }, hub ?? {}, folder, { known, option: '--variable' })
        await withTemporaryFolder(async (temporary) => {
          const build = async (): Promise<BuildResult> => {
            const tag = `${repositoryOf(app)}:build`
            const built = await buildImageOf(repository, { ...options, target, tag }, shown)
            const version = versionOfImage(built.id)
            // A name for each image keeps those of earlier releases.
            await built.builder.tag(tag, repositoryOf(app), version)
            const { gpu: card, gpuCount, diskBytes } = settings.container ?? {}
            const manifest = workerManifest({
              app,
              image: `${repositoryOf(app)}:${version}`,
              imageId: built.id,
              env: settings.env ?? {},
              gpu: card,
              gpuCount,
              diskBytes,
            })
            const packed = await packManifest(temporary, manifest)
            return { ...NO_CODE, ...packed, app, ...describedBy(manifest, built.warnings) }
          }
          const place = { ...surroundings, cwd: folder, env: { ...surroundings.env, SVC_APP: app } }
          await deployApp(options, session, place, { build, isProject: false })
        })
      })
    },
  )
}

// Names of images have no upper case.
const repositoryOf = (app: string) => `drydock-app/${app.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

const NO_CODE = { files: 1, tasks: [], packages: [], packagesCached: false, excluded: [], steps: [], tookMs: 0 }

function describedBy(
  { source_fingerprint: fingerprint, python_version: pythonVersion, resources }: ReturnType<typeof workerManifest>,
  warnings: readonly string[],
) {
  return {
    fingerprint,
    pythonVersion,
    endpoints: Object.keys(resources).map((name) => ({ name, kind: 'image' })),
    warnings: warnings.map((message) => ({ code: 'BUILD_ARGUMENT', message })),
  }
}

function readVariable(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`"${text}" is not a variable. Write --variable NAME=VALUE.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

async function variablesOf(client: ServiceClient, app: string, asked: string | undefined): Promise<readonly string[]> {
  try {
    const { variables } = await client.call('environmentRead', { path: await deployTarget(client, app, asked) })
    return variables.map(({ name }) => name)
  } catch (error) {
    if (error instanceof CliError && error.status === 404) return []
    throw error
  }
}

async function withTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-deploy-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
