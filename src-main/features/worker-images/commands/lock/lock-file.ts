import { readFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { createLockMaker } from '../../../../app/app-builder/create-lock-maker.ts'
import { canAsk } from '../../../../app/cli/ask.ts'
import type { CliCommand } from '../../../../app/cli/cli-command.ts'
import { CliError, unreadable, usageError } from '../../../../app/cli/cli-error.ts'
import type { Output } from '../../../../app/cli/output.ts'
import { createStatusLine } from '../../../../app/cli/progress-line.ts'
import { outputOf } from '../../../../app/cli/session.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ForeignFormat } from '../../../../contract/foreign-formats.ts'
import type { WorkflowLock } from '../../../../contract/worker-images.ts'
import { errorCode } from '../../../../lib/error-code.ts'
import { counted } from '../../../../lib/text.ts'
import { checkedPayload } from '../../../workflows/commands/graph/graph-facts.ts'
import { readGraphFile } from '../../../workflows/commands/graph/read-graph-file.ts'
import { writeText } from '../../../workflows/commands/graph/save-results.ts'
import { graphHash } from '../../adapters/hash-model.ts'
import { NODE_REGISTRY } from '../../adapters/node-registry.ts'
import { isFolder } from '../../adapters/run-git.ts'
import type { Choice, GivenPackage } from '../../rules/choose-packages.ts'
import { COMFYUI, COMFYUI_NAME, COMFYUI_VERSION } from '../../rules/comfyui.ts'
import { readEnvironment, writeEnvironment } from '../../rules/formats/foreign-files.ts'
import { isLockText, readLock, totalSizeText, writeLock } from '../../rules/lock-file.ts'
import type { LockRequest, MadeLock } from '../../rules/lock-request.ts'
import { isFolderName, isRef, isRemote, readSource, sourceText, type WantedSource } from '../../rules/source-address.ts'
import { isBuiltIn, moduleOf, wantedBy } from '../../rules/wanted-nodes.ts'
import { readModelFolders } from '../model-folders.ts'
import { showConflicts } from '../show-conflicts.ts'
import { readServer } from './read-server.ts'

export type LockOptions = {
  readonly output?: string
  readonly nodes?: readonly string[]
  readonly comfyui?: string
  readonly server?: string
  readonly endpoint?: string
  readonly snapshot?: string
  readonly from?: string
  readonly as?: ForeignFormat
  readonly update?: readonly string[]
  readonly models?: readonly string[]
  readonly model?: readonly string[]
  readonly base?: string
  readonly python?: string
  readonly provides?: readonly string[]
  readonly env?: readonly string[]
  readonly registry?: string
  readonly runSetup?: true
  /** False after --no-resolve. */
  readonly resolve?: boolean
  readonly local?: boolean
}

type Context = { readonly command: CliCommand; readonly surroundings: Surroundings }

export async function lockFile(file: string | undefined, options: LockOptions, context: Context): Promise<void> {
  const { command, surroundings } = context
  const output = outputOf(command, surroundings)
  if (file === undefined && options.from === undefined)
    throw usageError('Give a graph, or a file of another tool with --from.')
  const given = file === undefined || file === '-' ? undefined : await readIfThere(resolve(surroundings.cwd, file))
  const isLock = file !== undefined && given !== undefined && isLockText(given)
  const place = isLock ? file : lockPlace(file, options, surroundings)
  const previousText = isLock ? given : await previousLock(place, surroundings)
  const previous = previousText === undefined ? undefined : readAs(place, () => readLock(previousText))
  const made =
    isLock && options.update === undefined
      ? { lock: previous, conflicts: [], notes: [] }
      : await makeFile(isLock ? undefined : file, { ...context, output, options, place, previous })
  const { lock, conflicts, notes } = made
  for (const note of notes) output.note(note)
  if (!output.json) showConflicts(output, conflicts)
  if (lock === undefined) {
    const data = { file: file ?? options.from ?? place, count: counted(conflicts.length, 'conflict') }
    const { message: error, code } = new CliError('LOCK_INCOMPLETE', data)
    throw new CliError('LOCK_INCOMPLETE', data, { body: { error, code, conflicts } })
  }
  if (options.as !== undefined) return writeAs(options.as, lock, { ...context, output, options, place })
  const target = isLock && options.output !== undefined ? options.output : place
  await writeText(target, writeLock(lock, previousText), surroundings)
  if (output.json) output.document({ file: target, lock, conflicts, notes })
  else show(output, target, lock)
  const blocking = conflicts.filter(({ blocks }) => blocks).length
  if (blocking > 0) throw new CliError('LOCK_CONFLICTS', { file: target, count: counted(blocking, 'conflict') })
}

type Making = Context & {
  readonly output: Output
  readonly options: LockOptions
  readonly place: string
  readonly previous: WorkflowLock | undefined
}

async function makeFile(file: string | undefined, making: Making): Promise<MadeLock> {
  const { options, surroundings, output, place, previous, command } = making
  const folder = dirname(resolve(surroundings.cwd, place))
  const graph = file === undefined ? undefined : await readGraphFile(file, surroundings)
  const found = await readModelFolders(options.models ?? [], { command, surroundings })
  const stopping = new AbortController()
  const stopped = surroundings.onStopSignal(() =>
    stopping.abort(new CliError('ABANDONED', { why: 'Nothing was locked.' })),
  )
  const report = createStatusLine(output, surroundings)
  const ask = (choice: Choice) => {
    report('')
    return pick(choice, surroundings)
  }
  try {
    const maker = createLockMaker({
      ...{ env: surroundings.env, registry: options.registry ?? NODE_REGISTRY, folder, ...found, report },
      inputs: [...new Set([graph?.folder ?? folder, surroundings.cwd])],
      choose: canAsk(output, surroundings) ? ask : undefined,
      home: surroundings.home,
      resolves: options.resolve !== false,
      runsSetUp: options.runSetup === true,
      signal: stopping.signal,
    })
    if (options.update !== undefined && previous === undefined)
      throw usageError('There is no lock to update yet. Make one without --update.')
    const made =
      options.update === undefined || previous === undefined
        ? await maker.make(await requestOf(graph, making, folder))
        : await maker.update(previous, readUpdates(options.update, previous))
    // A source whose reading was stopped is among the conflicts.
    stopping.signal.throwIfAborted()
    return made
  } finally {
    report('')
    stopped()
  }
}

function readUpdates(texts: readonly string[], { nodes }: WorkflowLock) {
  const names = [...nodes.map((node) => node.name), COMFYUI_NAME]
  return texts.map((text) => {
    const [, name = text, ref] = /^([^=]+)=(.+)$/.exec(text) ?? []
    if (!names.some((one) => one.toLowerCase() === name.toLowerCase()))
      throw usageError(`The lock has no package ${name}. It has ${names.join(', ')}.`)
    if (ref !== undefined && !isRef(ref))
      throw usageError(`--update ${name} takes a branch, tag, commit or version, not ${ref}.`)
    return { name, ref }
  })
}

async function requestOf(
  graph: Awaited<ReturnType<typeof readGraphFile>> | undefined,
  { options, surroundings, previous, command, output }: Making,
  folder: string,
): Promise<LockRequest> {
  const from = await readForeign(options.from, surroundings)
  const snapshot = await readForeign(options.snapshot, surroundings)
  const server = await readServer(options, { command, surroundings })
  const environments = [from?.file, snapshot?.file, server.environment].filter((one) => one !== undefined)
  const python = options.python ?? from?.file.python?.match(/^\d+\.\d+/)?.[0]
  const provides = pairs(options.provides, '--provides takes NAME=VERSION, like torch=2.7.1')
  const base = {
    ...(options.base === undefined ? {} : { image: options.base }),
    ...(python === undefined ? {} : { python }),
    ...(provides.size === 0 ? {} : { provides: Object.fromEntries(provides) }),
  }
  const shared = {
    ...{ previous, environments, base },
    given: await Promise.all((options.nodes ?? []).map((text) => readGiven(text, surroundings.cwd, folder))),
    comfyui: await readComfyui(options.comfyui, surroundings.cwd, folder),
    ...(from === undefined ? {} : { imported: { format: from.file.format, text: from.text } }),
    ...(options.local === undefined ? {} : { worker: options.local ? ('local' as const) : ('anywhere' as const) }),
    environment: Object.fromEntries(pairs(options.env, '--env takes NAME=VALUE')),
    addresses: pairs(options.model, '--model takes NAME=ADDRESS'),
  }
  if (graph === undefined) return { ...shared, served: new Map(), index: new Map() }
  const { types } = server
  const { payload } = checkedPayload(graph, types, surroundings.now())
  const wanted = wantedBy(graph, payload, types)
  const statedOf = new Map(wanted.classes.map(({ name, stated }) => [name, stated]))
  const served = wanted.classes.flatMap(({ name }) => {
    const module = server.isAsked ? moduleOf(name, types) : undefined
    return module ? [[name, module] as const] : []
  })
  const index = await server.index(wanted.classes.map(({ name }) => name)).catch((error: Error) => {
    output.note(`The index of packages cannot be read: ${error.message}.`)
    return new Map()
  })
  return {
    ...shared,
    graph: { ...wanted, isBuiltIn: (name) => isBuiltIn(name, statedOf.get(name) ?? [], types) },
    workflow: { file: graph.name, sha256: graphHash(graph.raw) },
    ...{ served: new Map(served), index },
  }
}

async function readGiven(text: string, cwd: string, folder: string): Promise<GivenPackage> {
  const [, name = '', given = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  const source = await sourceOf(given, cwd, folder)
  if (isFolderName(name) && source !== undefined) return { name, source }
  throw usageError(
    `--nodes takes NAME=PATH of a folder, NAME=PATH@REF, NAME=ADDRESS@REF with https or ssh, or NAME=registry:ID@VERSION, not ${text}.`,
  )
}

async function readComfyui(text: string | undefined, cwd: string, folder: string) {
  if (text === undefined) return undefined
  if (COMFYUI_VERSION.test(text)) return { source: { repository: COMFYUI, ref: text.replace(/^v?/, 'v') } }
  const source = await sourceOf(text, cwd, folder)
  if (source !== undefined && 'repository' in source) return { source }
  throw usageError(
    `--comfyui takes a version, like 0.3.40, or a repository, like ADDRESS@REF or PATH@REF, not ${text}.`,
  )
}

async function sourceOf(text: string, cwd: string, folder: string): Promise<WantedSource | undefined> {
  const paths = [text, text.replace(/@[^@]*$/, '')]
  const there = await Promise.all(paths.map((path) => isFolder(resolve(cwd, path))))
  const source = readSource(text, (path) => there[paths.indexOf(path)] === true)
  if (source === undefined || 'registry' in source) return source
  if ('path' in source) return { path: pathFrom(folder, cwd, source.path) }
  return isRemote(source.repository) ? source : { ...source, repository: pathFrom(folder, cwd, source.repository) }
}

function pathFrom(folder: string, cwd: string, path: string): string {
  if (isAbsolute(path)) return path
  const within = relative(folder, resolve(cwd, path)).replaceAll(sep, '/')
  return within.startsWith('..') ? within : `./${within}`
}

function pairs(texts: readonly string[] | undefined, form: string): ReadonlyMap<string, string> {
  return new Map(
    (texts ?? []).map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
      if (name === undefined || value === undefined) throw usageError(`${form}, not ${text}.`)
      return [name, value]
    }),
  )
}

async function pick(choice: Choice, { ask }: Surroundings) {
  if (choice.options.length === 0) return undefined
  const labels = choice.options.map(({ name, source }) => `${name}: ${sourceText(source)}`)
  const at = await ask.pick(choice.question, labels)
  return at === undefined ? undefined : choice.options[at]
}

async function readForeign(file: string | undefined, { cwd }: Surroundings) {
  if (file === undefined) return undefined
  const path = resolve(cwd, file)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error)
  })
  return { text, file: readAs(file, () => readEnvironment(text)) }
}

function readAs<Result>(file: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new CliError(
      'FILE_INVALID',
      { file, why: error instanceof Error ? error.message : String(error) },
      { cause: error },
    )
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw unreadable(path, error)
  }
}

function lockPlace(file: string | undefined, { output, as }: LockOptions, { cwd }: Surroundings): string {
  if (output !== undefined && as === undefined) return output
  if (file === undefined || file === '-') {
    if (as !== undefined) return 'workflow.lock.yaml'
    throw usageError('Name the lock with --output FILE.')
  }
  const path = resolve(cwd, file)
  return resolve(dirname(path), `${basename(path).replace(/\.[^.]*$/, '')}.lock.yaml`)
}

async function previousLock(place: string, { cwd }: Surroundings): Promise<string | undefined> {
  const text = await readIfThere(resolve(cwd, place))
  if (text === undefined || text.trim() === '' || isLockText(text)) return text?.trim() === '' ? undefined : text
  throw new CliError('FILE_INVALID', { file: place, why: 'it is not a lock of a workflow, so it is not overwritten' })
}

async function writeAs(
  format: ForeignFormat,
  lock: WorkflowLock,
  { surroundings, output, options, place }: Context & Pick<Making, 'output' | 'options' | 'place'>,
): Promise<void> {
  const there = options.output === undefined ? undefined : await readIfThere(resolve(surroundings.cwd, options.output))
  const imported = lock.imported?.format === format ? lock.imported.text : undefined
  const title = basename(place).replace(/\.lock\.ya?ml$/, '')
  const { text, left } = readAs(options.output ?? place, () =>
    writeEnvironment(format, lock, { previous: there ?? imported, title }),
  )
  if (left.length > 0) output.note(`${format} cannot name local packages, so it lacks ${left.join(', ')}.`)
  if (options.output === undefined) return output.line(text.trimEnd())
  await writeText(options.output, text, surroundings)
  output.result(
    { file: options.output, format, left },
    `${options.output}: ${counted(lock.nodes.length - left.length, 'package')}`,
  )
}

function show(output: Output, file: string, { comfyui, nodes, python, models, inputs }: WorkflowLock): void {
  output.table(
    ['PACKAGE', 'VERSION', 'SOURCE'],
    [
      [COMFYUI_NAME, comfyui.version ?? comfyui.commit.slice(0, 8), comfyui.repository],
      ...nodes.map(({ name, source }) =>
        'registry' in source
          ? [name, source.version, `registry:${source.registry}`]
          : 'repository' in source
            ? [name, source.commit.slice(0, 8), source.repository]
            : [name, source.sha256?.slice(0, 8) ?? '', source.path],
      ),
    ],
  )
  const facts = [
    counted(nodes.length, 'package'),
    ...(python.length === 0 ? [] : [counted(python.length, 'Python package')]),
    ...(models.length === 0 ? [] : [`${counted(models.length, 'model')} (${totalSizeText(models)})`]),
    ...(inputs.length === 0 ? [] : [counted(inputs.length, 'input')]),
  ]
  output.line(`${file}: ${facts.join(', ')}`)
}
