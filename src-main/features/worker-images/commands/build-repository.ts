import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ImageBuilder } from '../../../app/app-builder/create-image-builder.ts'
import { CliError, unreadable, usageError } from '../../../app/cli/cli-error.ts'
import type { Output } from '../../../app/cli/output.ts'
import { withSpinner } from '../../../app/cli/progress-line.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import {
  argumentWarnings,
  type BuildSource,
  type Problem,
  readBuildArgument,
  readBuildSecret,
  readBuildSource,
  sourceName,
} from '../rules/build-source.ts'

export type ImageBuildOptions = {
  readonly file?: string | undefined
  readonly buildArg?: readonly string[] | undefined
  readonly secret?: readonly string[] | undefined
  readonly target?: string | undefined
  readonly cache?: boolean | undefined
  readonly platform?: string | undefined
}

export function addImageBuildOptions<Built extends Command>(command: Built, stage = '--target <stage>'): Built {
  const repeated = (text: string, before: readonly string[] = []) => [...before, text]
  return command
    .option('-f, --file <path>', 'Dockerfile, inside or outside the folder (default: Dockerfile in the folder)')
    .option(
      '--build-arg <name=value>',
      'build argument, which the history of the image shows; may be repeated',
      repeated,
    )
    .option(
      '--secret <spec>',
      'secret for RUN --mount=type=secret: id=NAME,src=FILE or id=NAME,env=VARIABLE; may be repeated',
      repeated,
    )
    .option(stage, 'stage of the Dockerfile to build (default: the last)')
    .option('--no-cache', 'run every step again')
    .option('--platform <platform>', 'platform of the image, like linux/amd64')
}

export type Repository = {
  readonly name: string
  readonly folder: string
  readonly commit?: string
  readonly committedAt?: Date
}

type Shown = { readonly output: Output; readonly surroundings: Surroundings; readonly signal: AbortSignal }

export async function withRepository<Result>(
  text: string,
  { output, surroundings, signal }: Shown,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const { cwd, env } = surroundings
  const source = checked(readBuildSource(text, (path) => existsSync(resolve(cwd, path))))
  if (source.kind === 'folder') {
    const folder = resolve(cwd, source.folder)
    if (!(await stat(folder)).isDirectory()) throw usageError(`${text} is not a folder.`)
    return work({ folder, name: basename(folder) })
  }
  const clone = await cloned(source, { cwd, env, signal, report: output.json ? () => undefined : output.note })
  try {
    return await work({ ...clone, name: sourceName(source) })
  } finally {
    await clone.remove()
  }
}

async function cloned(source: Extract<BuildSource, { kind: 'git' }>, options: CloneOptions) {
  const { cloneRepository } = await import('../adapters/clone-repository.ts')
  try {
    return await cloneRepository(source, options)
  } catch (error) {
    options.signal.throwIfAborted()
    throw notBuilt(error)
  }
}

type CloneOptions = Parameters<typeof import('../adapters/clone-repository.ts')['cloneRepository']>[1]

export type BuiltRepository = Awaited<ReturnType<ImageBuilder['build']>> & { readonly warnings: readonly string[] }

export async function buildImageOf(
  repository: Repository,
  { tag, ...options }: ImageBuildOptions & { readonly tag: string },
  { output, surroundings, signal }: Shown,
): Promise<BuiltRepository & { readonly builder: ImageBuilder }> {
  const { folder, commit, committedAt } = repository
  const { target, platform } = options
  const buildArgs = Object.fromEntries(
    (options.buildArg ?? []).flatMap((text) => {
      const read = readBuildArgument(text, surroundings.env)
      return read === undefined ? [] : [checked(read)]
    }),
  )
  if (platform !== undefined && !/^[a-z0-9]+(?:\/[a-z0-9]+){1,2}$/.test(platform))
    throw usageError(`"${platform}" is not a platform. Write it like linux/amd64.`)
  const secrets = await readSecrets(options.secret ?? [], surroundings)
  const { openImageBuilder } = await import('../../../app/app-builder/create-image-builder.ts')
  const isClone = commit !== undefined
  const dockerfile = findDockerfile(options.file, repository, surroundings.cwd)
  try {
    const builder = await openImageBuilder(surroundings.env)
    const built = await showingSteps({ output, surroundings }, (report) =>
      builder.build(
        {
          tag,
          buildArgs,
          secrets,
          target,
          platform,
          noCache: options.cache === false,
          source: { folder, dockerfile, isClone, mtime: committedAt },
        },
        { report, signal },
      ),
    )
    return { ...built, builder, warnings: argumentWarnings(Object.keys(buildArgs)) }
  } catch (error) {
    signal.throwIfAborted()
    throw notBuilt(error, output)
  }
}

function showingSteps<Result>(
  { output, surroundings }: Pick<Shown, 'output' | 'surroundings'>,
  task: (report: (step: string) => void) => Promise<Result>,
): Promise<Result> {
  if (!output.json && output.piped) return task(output.note)
  return withSpinner('building the image', { output, surroundings }, task)
}

// As the docker command reads -f: from the current folder; in a clone from its folder.
function findDockerfile(file: string | undefined, { folder, commit }: Repository, cwd: string): string {
  if (file === undefined) return join(folder, 'Dockerfile')
  if (commit !== undefined) return join(folder, file)
  const here = resolve(cwd, file)
  return existsSync(here) ? here : resolve(folder, file)
}

const SECRET_BYTES_MAX = 500 * 1024

async function readSecrets(
  specs: readonly string[],
  { cwd, env }: Pick<Surroundings, 'cwd' | 'env'>,
): Promise<Record<string, Uint8Array>> {
  const read = await Promise.all(
    specs.map(async (spec) => {
      const secret = checked(readBuildSecret(spec))
      if ('variable' in secret) {
        const value = env[secret.variable]
        if (value === undefined) throw usageError(`The variable ${secret.variable} of secret ${secret.id} is not set.`)
        return [secret.id, Buffer.from(value)] as const
      }
      const path = resolve(cwd, secret.file)
      const bytes = await readFile(path).catch((error: unknown) => {
        throw unreadable(path, error)
      })
      return [secret.id, bytes] as const
    }),
  )
  for (const [id, { length }] of read)
    if (length > SECRET_BYTES_MAX) throw usageError(`The secret ${id} is larger than 500 KiB, which BuildKit refuses.`)
  return Object.fromEntries(read)
}

function checked<Value extends object>(value: Value | Problem): Value {
  if ('problem' in value) throw usageError(value.problem)
  return value
}

function notBuilt(error: unknown, output?: Output): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error
  const lines = 'lines' in error && Array.isArray(error.lines) ? error.lines.map(String) : []
  if (output?.json === false) for (const line of lines) output.note(`  ${line}`)
  const { message } = new CliError('IMAGE_NOT_BUILT', { why: error.message })
  const body = { error: [message, ...lines].join('\n'), code: 'IMAGE_NOT_BUILT' }
  return new CliError('IMAGE_NOT_BUILT', { why: error.message }, { body, cause: error })
}
