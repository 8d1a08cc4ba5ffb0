import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { createImageBuilder } from '../../../app/app-builder/create-workflow-image-builder.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, unreadable, usageError } from '../../../app/cli/cli-error.ts'
import { duration, type Output, size } from '../../../app/cli/output.ts'
import { createStatusLine } from '../../../app/cli/progress-line.ts'
import { outputOf } from '../../../app/cli/session.ts'
import { stoppable } from '../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ModelFolder } from '../../../contract/models.ts'
import { ImageBuildFailure, UnusableLock, type WorkflowLock } from '../../../contract/worker-images.ts'
import { counted } from '../../../lib/text.ts'
import { findModel } from '../adapters/hash-model.ts'
import type { BuildNews, BuiltStep } from '../rules/build-progress.ts'
import { findConflicts, modelsHere } from '../rules/conflicts.ts'
import {
  type Bake,
  type ImageFiles,
  imageFiles,
  modelName,
  OPEN_PIP_CONFIG,
  PIP_CONFIG,
  type PlacedModel,
} from '../rules/dockerfile.ts'
import { totalSizeText } from '../rules/lock-file.ts'
import { withoutPasswords } from '../rules/read-requirements.ts'
import { versionOfImage } from '../rules/worker-manifest.ts'
import { checkImageName } from './image-name.ts'
import { readModelFolders, requireModelFolder } from './model-folders.ts'
import { type LockFile, lockBeside, readLockFile } from './read-lock-file.ts'
import { showConflicts } from './show-conflicts.ts'

export type ImageContentOptions = {
  readonly bake?: string
  readonly models?: string
  readonly pipConfig?: string
}

type ImageCommandOptions = ImageContentOptions & {
  readonly tag?: string
  readonly dryRun?: true
  readonly write?: string
  readonly cache: boolean
}

// Tokens that downloads of models need, by server and by the variable that has one.
const TOKENS = [
  ['huggingface.co', 'HF_TOKEN'],
  ['huggingface.co', 'HUGGING_FACE_HUB_TOKEN'],
  ['civitai.com', 'CIVITAI_API_TOKEN'],
] as const

export function addImageContentOptions<Built extends Command>(command: Built): Built {
  return command
    .option(
      '--bake <models>',
      'models in the image, by name and separated by commas, or all or none (default: small ones)',
    )
    .option(
      '--models <folder>',
      "models folder of a ComfyUI; the image's models are copied from it instead of downloaded",
    )
    .option('--pip-config <file>', 'pip.conf with the package index of the build; the image does not keep it')
}

export function addWorkflowImage(parent: CliCommand, surroundings: Surroundings): void {
  addImageContentOptions(
    parent
      .command('image')
      .description('build the worker image of a workflow from its lock')
      .argument('<file>', 'lock, like cat.lock.yaml, or the workflow next to it, like cat.json')
      .option('-t, --tag <name>', 'name of the image, like ghcr.io/ada/cat:1; required to build'),
  )
    .option('--no-cache', 'build every layer again')
    .option('--dry-run', 'print the Dockerfile, and build nothing')
    .option('--write <folder>', 'write the Dockerfile and everything it needs to an empty folder, and build nothing')
    .details(`
Builds with the Docker engine of this machine, without a service. Layers stand in the order in which they rarely change, so
that a new version of custom nodes rebuilds their layer and those after it. Two builds of one lock have the same digest.
Models that are not in the image are read from a network volume. Downloads use HF_TOKEN and CIVITAI_API_TOKEN.

Examples:
  $ drydock workflow image cat.json --tag ghcr.io/ada/cat:1
  $ drydock workflow image cat.lock.yaml --tag cat:1 --bake sd15.safetensors --models ~/ComfyUI/models
  $ drydock workflow image cat.lock.yaml --tag cat:1 --dry-run`)
    .action(async (file: string, options: ImageCommandOptions, command: CliCommand) => {
      const isBuild = options.dryRun === undefined && options.write === undefined
      if (isBuild && options.tag === undefined) throw usageError('Name the image: --tag NAME, like --tag cat:1.')
      if (options.tag !== undefined) checkImageName(options.tag)
      const lock = lockBeside(file, surroundings.cwd)
      const folders = async () => (await readModelFolders([], { command, surroundings })).models
      await runImage(lock, options, { output: outputOf(command, surroundings), surroundings, folders })
    })
}

type BuiltImage = Awaited<ReturnType<ReturnType<typeof createImageBuilder>['build']>>

type Terminal = { readonly output: Output; readonly surroundings: Surroundings }

/** `folders`: those of the service, asked only for models without an address. */
type Building = Terminal & { readonly folders: () => Promise<readonly ModelFolder[]> }

async function runImage(file: string, options: ImageCommandOptions, terminal: Building): Promise<void> {
  const { output, surroundings } = terminal
  const { found, image, builder } = await planBuild(file, options, terminal)
  const { dockerfile, models, steps } = image
  const { tag = 'NAME' } = options
  const plan = { ...(options.tag && { tag }), models, steps: steps.map(({ title }) => title) }
  if (options.dryRun === true) return output.result({ ...plan, dockerfile }, dockerfile.trimEnd())
  await stoppableBuild(terminal, async (watch) => {
    if (options.write !== undefined) {
      const folder = resolve(surroundings.cwd, options.write)
      await refuseFull(folder)
      await builder.write(image, folder, watch.signal)
      return output.result(
        { ...plan, folder },
        `Wrote ${options.write}. Build it with: docker build --tag ${tag} ${options.write}`,
      )
    }
    const secrets = await secretsFor(image, options, surroundings)
    const request = { lock: found.lock, image, tag, noCache: !options.cache, secrets }
    const built = await builder.build(request, watch)
    return output.result({ ...built, models }, () => showBuilt(output, built))
  })
}

/** @returns a name with the start of its id, so that images of earlier releases keep theirs */
export async function buildLockedImage(
  file: string,
  repository: string,
  content: ImageContentOptions,
  terminal: Building,
): Promise<string> {
  const tag = `${repository}:latest`
  const options = { ...content, tag, cache: true }
  const { found, image, builder } = await planBuild(file, options, terminal)
  const secrets = await secretsFor(image, options, terminal.surroundings)
  const { imageId } = await stoppableBuild(terminal, (watch) =>
    builder.build({ lock: found.lock, image, tag, noCache: false, secrets }, watch),
  )
  const version = versionOfImage(imageId)
  await builder.tag(tag, repository, version)
  return `${repository}:${version}`
}

async function planBuild(file: string, options: ImageCommandOptions, { output, surroundings, folders }: Building) {
  const { cwd, env, home, platform } = surroundings
  const { createImageBuilder } = await import('../../../app/app-builder/create-workflow-image-builder.ts')
  if (options.models !== undefined) await requireModelFolder(options.models, cwd)
  const found = await readLockFile(file, surroundings)
  refuseConflicts(file, found, output)
  const own = await modelsOnDisk(found.lock, options.models && resolve(cwd, options.models), folders)
  const image = await planImage(found, options, new Set(own.keys()))
  if (!output.json) showModels(output, image.models)
  const builder = createImageBuilder({
    env,
    home,
    platform,
    lockFolder: dirname(resolve(cwd, file)),
    modelFile: (name) => own.get(name) ?? name,
  })
  return { found, image, builder }
}

/** @param given folder of the user, which comes before the address of a model */
async function modelsOnDisk(
  { models }: WorkflowLock,
  given: string | undefined,
  folders: Building['folders'],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  let ofService: readonly ModelFolder[] | undefined
  for (const model of models) {
    let file = given === undefined ? undefined : await findModel([{ path: given }], model.folder, model.name)
    if (file === undefined && model.source === undefined) {
      ofService ??= await folders()
      file = await findModel(ofService, model.folder, model.name)
    }
    if (file !== undefined) found.set(modelName(model), file.path)
  }
  return found
}

function stoppableBuild<Result>(
  terminal: Terminal,
  work: (watch: { readonly report: (news: BuildNews) => void; readonly signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const { output, surroundings } = terminal
  return stoppable(
    surroundings,
    (signal) => `The build was stopped by ${signal}. No image was made.`,
    async (signal) => {
      const progress = showProgress(terminal)
      try {
        return await work({ report: progress.report, signal })
      } catch (error) {
        progress.end()
        throw explained(error, output)
      } finally {
        progress.end()
      }
    },
  )
}

function showBuilt(output: Output, { tag, imageId, sizeBytes, tookMs, steps }: BuiltImage): void {
  const news = steps.filter(({ state }) => state === 'new').length
  output.line(
    `Built ${output.paint('bold', tag)} in ${duration(tookMs)}: ${news} of ${counted(steps.length, 'layer')} new, ${size(sizeBytes)}.`,
  )
  output.table(['STEP', 'LAYER', 'TIME'], steps.map(stepRow))
  output.line(imageId)
}

function refuseConflicts(file: string, { lock }: LockFile, output: Output): void {
  const conflicts = findConflicts({ lock, localModels: modelsHere(lock) }).filter(({ blocks }) => blocks)
  if (conflicts.length === 0) return
  if (!output.json) showConflicts(output, conflicts)
  const data = { file, count: counted(conflicts.length, 'conflict') }
  const { message: error, code } = new CliError('LOCK_CONFLICTS', data)
  throw new CliError('LOCK_CONFLICTS', data, { body: { error, code, conflicts } })
}

const stepRow = ({ title, state, tookMs }: BuiltStep, at: number) => [
  `${at + 1} ${title}`,
  state === 'cached' ? 'CACHED' : 'new',
  state === 'cached' ? '' : duration(tookMs),
]

async function planImage(
  { lock, graphFile }: LockFile,
  options: ImageCommandOptions,
  ownModels: ReadonlySet<string>,
): Promise<ImageFiles> {
  const { shippedParts } = await import('../../../app/app-builder/create-workflow-image-builder.ts')
  try {
    return imageFiles(lock, {
      ...(await shippedParts()),
      bake: bakeOf(options.bake),
      ownModels,
      workflow: graphFile === undefined ? undefined : { name: basename(graphFile), text: await readText(graphFile) },
    })
  } catch (error) {
    if (error instanceof UnusableLock) throw new CliError('IMAGE_NOT_BUILT', { why: error.message }, { cause: error })
    throw error
  }
}

function bakeOf(text: string | undefined): Bake | undefined {
  return text === undefined || text === 'all' || text === 'none' ? text : text.split(',').map((name) => name.trim())
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error)
  })
}

async function refuseFull(folder: string): Promise<void> {
  const there = await readdir(folder).catch(() => [])
  if (there.length > 0) throw new CliError('FILE_UNWRITABLE', { file: folder, why: 'the folder is not empty' })
}

async function secretsFor(
  { secrets }: ImageFiles,
  { pipConfig }: ImageCommandOptions,
  { env, cwd }: Surroundings,
): Promise<Readonly<Record<string, string>>> {
  const tokens = TOKENS.flatMap(([server, name]) => {
    const value = env[name]
    return value && secrets.includes(server) ? [[server, value] as const] : []
  })
  if (pipConfig === undefined) return Object.fromEntries(tokens.toReversed())
  const config = await readText(resolve(cwd, pipConfig))
  return {
    ...Object.fromEntries(tokens.toReversed()),
    ...{ [PIP_CONFIG]: config, [OPEN_PIP_CONFIG]: withoutPasswords(config) },
  }
}

function showModels(output: Output, models: readonly PlacedModel[]): void {
  for (const delivery of ['baked', 'mounted'] as const) {
    const some = models.filter((model) => model.delivery === delivery)
    if (some.length === 0) continue
    output.note(`${delivery === 'baked' ? 'Models in the image' : 'Models on a volume'}: ${totalSizeText(some)}`)
    for (const model of some) output.note(`  ${model.name}  ${totalSizeText([model])}`)
  }
}

function showProgress({ output, surroundings }: Terminal) {
  const draw = createStatusLine(output, surroundings)
  return {
    report({ kind, text }: BuildNews) {
      draw(text)
      if (kind === 'step' && !output.json && surroundings.stdout.isTTY !== true) output.note(text)
    },
    end: () => draw(''),
  }
}

function explained(error: unknown, output: Output): unknown {
  if (error instanceof CliError) return error
  const cause = { cause: error }
  if (!(error instanceof ImageBuildFailure))
    return new CliError('IMAGE_NOT_BUILT', { why: error instanceof Error ? error.message : String(error) }, cause)
  const { step, message } = error
  if (output.json) {
    const body = { error: message, code: 'IMAGE_NOT_BUILT', step }
    return new CliError('IMAGE_NOT_BUILT', { why: message }, { ...cause, body })
  }
  for (const line of step.lastLines) output.note(`  ${line}`)
  return new CliError('IMAGE_NOT_BUILT', { why: message }, cause)
}
