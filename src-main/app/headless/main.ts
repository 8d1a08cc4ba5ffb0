import { rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../../package.json' with { type: 'json' }
import { createComfyuiPorts } from '../../features/comfyui-api/routes/ports.ts'
import type { LeftBehind } from '../../features/machines/rules/left-behind.ts'
import { createMachineApp } from '../../features/machines/worker-listener-routes.ts'
import { fileSystemWarning, type Look } from '../../features/system/adapters/file-system.ts'
import { recoverCommand } from '../../features/system/adapters/folder-rows.ts'
import type { PageFile, PageFiles } from '../../http/pages.ts'
import { createSecureContexts } from '../../http/server/certificates.ts'
import { catchUnhandled } from '../../http/server/last-net.ts'
import type { Fetch } from '../../http/server/listen.ts'
import {
  answerWorkers,
  createWorkerListeners,
  lastPorts,
  listenForUsers,
  secureAnswers,
  type UserAddress,
} from '../../http/server/listeners.ts'
import { createLog, systemIds, systemTime } from '../../http/server/system-ports.ts'
import { errorCode } from '../../lib/error-code.ts'
import { LOOPBACK, portOfService } from '../../lib/own-addresses.ts'
import { pageFileType } from '../../lib/page-files.ts'
import { StartError } from '../../lib/start-error.ts'
import { withFullStop } from '../../lib/text.ts'
import { ROOT } from '../../shipped-files/root.ts'
import { openPythonWheel } from '../app-builder/create-app-builder.ts'
import { createProjectTools } from '../app-builder/project-tools.ts'
import {
  createCore,
  fileError,
  type Log,
  type OpenedFolder,
  openFolderStorage,
  pingWorker,
  postOut,
  previewLink,
  processHost,
  type ServiceFacts,
  sendRequest,
} from '../core.ts'
import { createStreams, createWorkerStreams } from '../http/streams.ts'
import { createUserApp } from '../http/user-app.ts'
import { createWorkerApp } from '../http/worker-app.ts'
import { createAnswerAgent } from './answer-agent.ts'
import { commandHere } from './called-as.ts'
import { leaveOriginal } from './copied-folder.ts'
import {
  type DataFolder,
  lostLogWarning,
  openDataFolder,
  preparePrivate,
  readKey,
  readServiceFile,
  type ServiceFile,
  writePrivate,
} from './data-folder.ts'
import { createFleets, createMachineDrivers, openContainerState } from './fleets.ts'
import { createHost } from './host.ts'
import { createImagePipeline } from './image-pipeline.ts'
import { collectGarbage, computedMs, watchForQuiet } from './quiet-memory.ts'
import { createStartPreview } from './start-preview.ts'

export type StartOptions = UserAddress & {
  readonly data: string
  readonly stopGraceMs?: number | undefined
  readonly logLevel?: string | undefined
  readonly tracesTo?: string | undefined
  readonly look?: Look | undefined
}

export type RunningServer = {
  readonly url: string
  readonly data: string
  readonly keyFile: string
  readonly workerUrl: string
  readonly warnings: readonly string[]
  /** SHA-256 of the certificate network clients pin; undefined without network TLS. */
  readonly fingerprint?: string | undefined
  readonly stop: () => Promise<void>
  readonly hurry: () => void
  readonly runningJobs: () => number
  readonly left: () => readonly LeftBehind[]
  readonly stopGraceMs: number
  readonly stopped: Promise<void>
}

const STOP_GRACE_MS = 10_000
const RESPONSE_GRACE_MS = 2000
const LOCK_WAIT_MS = 1000
// Ends at once, so that nothing more is written. Launcher and desktop restart a service killed by a signal, or on
// Windows by the abort code.
const onDoubt = () => (process.platform === 'win32' ? process.exit(134) : process.kill(process.pid, 'SIGKILL'))
const LOCK_RETRY_MS = 50
const LOCK_CHECK_MS = 1000
const CLI = import.meta.url.endsWith('.ts')
  ? join(ROOT, 'src-main/app/cli/main.ts')
  : fileURLToPath(new URL('cli.js', import.meta.url))
const PAGES = join(ROOT, 'out', 'renderer')

/**
 * Resolves once the service answers.
 * @throws StartError if the folder is in use, a port is taken, or the data is unusable
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const folder = openDataFolder(options.data)
  const lostLog = lostLogWarning(folder)
  const opened = await openStorage(folder).catch((error) => {
    throw asStartError(error, folder)
  })
  const open: (() => Promise<void>)[] = [opened.close]
  const closeAll = async () => {
    const failures: unknown[] = []
    for (const close of open.toReversed()) await close().catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
  try {
    return await run(options, folder, { opened, lostLog, open, closeAll })
  } catch (error) {
    await closeAll().catch(() => undefined)
    throw asStartError(error, folder)
  }
}

// Damage may only surface in a later read, so every SQLite error of the start counts.
function asStartError(error: unknown, { folder }: DataFolder): unknown {
  const code = errorCode(error)
  if (!(error instanceof Error && code.startsWith('SQLITE_'))) return error
  return new StartError('data', `The database cannot be used: ${withFullStop(error.message)} ${howToGoOn(folder)}`, {
    cause: error,
  })
}

const howToGoOn = (folder: string) =>
  `Restore a copy of the data folder, save what can be read of it with \`${recoverCommand(folder)}\`, or choose another one with --data.`

const howToReplace = (folder: string) =>
  `Start with --move-aside to rename the folder and begin with an empty one, or copy its rows into a new one with \`${recoverCommand(folder)}\`.`

// A just killed service holds its lock a moment longer.
async function openStorage(folder: DataFolder): Promise<OpenedFolder> {
  const giveUpAt = systemTime.monotonic() + LOCK_WAIT_MS
  let opened = openFolderStorage(folder)
  while (opened.kind === 'locked' && systemTime.monotonic() < giveUpAt) {
    await new Promise<void>((resolve) => systemTime.after(LOCK_RETRY_MS, resolve))
    opened = openFolderStorage(folder)
  }
  if (opened.kind === 'open') return opened
  if (opened.kind === 'unusable') {
    const { fault, message } = opened
    if (fault === 'other-version') throw new StartError('version', `${message} ${howToReplace(folder.folder)}`)
    throw new StartError('data', fault === 'damaged' ? `${message} ${howToGoOn(folder.folder)}` : message)
  }
  const other = readServiceFile(folder.serviceFile)
  if (opened.pid !== undefined && opened.pid !== other?.pid)
    throw new StartError(
      'locked',
      `The data folder ${folder.folder} is in use: pid ${opened.pid} has its database open. Stop that process, then start Drydock again.`,
    )
  const which = other === undefined ? 'another process uses it' : `pid ${other.pid}, ${other.url}`
  throw new StartError('locked', `A Drydock service is already running on the data folder ${folder.folder}: ${which}.`)
}

async function run(
  options: StartOptions,
  folder: DataFolder,
  begun: {
    readonly opened: OpenedFolder
    readonly lostLog: string | undefined
    readonly open: (() => Promise<void>)[]
    readonly closeAll: () => Promise<void>
  },
): Promise<RunningServer> {
  const { opened, lostLog, open, closeAll } = begun
  const { storage } = opened
  const log = createLog(options.logLevel ?? 'info', folder.log)
  const original = await leaveOriginal(folder, storage)
  if (original !== undefined) log.info('the data folder is a copy and starts without workers', { original })
  const startedAt = systemTime.wall()
  const stopGraceMs = options.stopGraceMs ?? STOP_GRACE_MS
  const ofDisk = await fileSystemWarning(folder.folder, options.look)
  if (ofDisk !== undefined) log.warn('the disk of the data folder may not be reliable', { warning: ofDisk })
  if (lostLog !== undefined) log.warn('the write-ahead log of the database is missing', { warning: lostLog })
  const stopKeeping = keepFiles(opened, log)
  open.push(async () => stopKeeping())
  const release = catchUnhandled({ log, newRequestId: systemIds.worker, onDoubt })
  open.push(async () => release())
  const containers = openContainerState(storage)
  let facts: ServiceFacts | undefined
  let workerUrl = ''
  let accountKey = readKey(folder.keyFile)
  const ofFleets = {
    folder,
    containers,
    log,
    reach: () => ({ workerUrl, serviceUrl: facts?.url ?? '' }),
    openForWorkers: (host: string) => workerListeners.open(host),
    tunnel: {
      open: (host: string) => machineListeners.open(host),
      answerTo: (host: string) => void hosts.add(host),
    },
  }
  const commandLine = { program: process.execPath, args: [CLI], env: process.env }
  const core = createCore({
    storage,
    time: systemTime,
    newId: systemIds,
    log,
    post: postOut,
    ping: pingWorker,
    host: createHost({ ...folder, look: options.look }, systemTime.wall),
    projects: {
      ...createProjectTools({ env: process.env }),
      startPreview: createStartPreview({ commandLine, data: folder.folder, log }),
      previewLink,
    },
    imagePipeline: createImagePipeline({
      commandLine,
      data: folder.folder,
      service: () => ({ url: facts?.url ?? '', key: accountKey ?? '' }),
    }),
    processHost: (needs) => processHost({ ...needs, env: process.env }),
    send: sendRequest,
    fleet: (needs) => createFleets({ ...ofFleets, ...needs }),
    machines: (needs) => createMachineDrivers({ ...ofFleets, ...needs }),
    facts: () => facts as ServiceFacts,
    tracesTo: options.tracesTo ?? tracesAddress(process.env),
    accountKey: () => accountKey ?? '',
    prepareKeyFile(key) {
      const publish = prepareKey(folder.keyFile, key)
      return () => {
        publish()
        accountKey = key
      }
    },
  })
  const { service } = core
  const closers: ((graceMs: number) => Promise<void>)[] = []
  open.push(async () => rmSync(folder.serviceFile, { force: true }))
  open.push(async () => void (await Promise.all(closers.map((close) => close(RESPONSE_GRACE_MS)))))
  open.push(() => core.stop(stopGraceMs))
  if (accountKey === undefined || !service.keys.isAccountKey(accountKey)) await service.rotateAccountKey()

  // No requests before the core knows its workers: the public SDK discards a refused result.
  const ready = Promise.withResolvers<void>()
  const whenReady =
    (app: { readonly fetch: Fetch }): Fetch =>
    async (request, bindings) => {
      await ready.promise
      return app.fetch(request, bindings)
    }
  const userFetch = whenReady(
    createUserApp(core, openPageFiles(PAGES), {
      wheel: openPythonWheel(packageJson.version),
      answerAgent: createAnswerAgent({ version: packageJson.version, url: () => facts?.url ?? '' }),
    }),
  )
  // Workers cannot use the API for ComfyUI clients, which may be open to all programs of this machine.
  const streams = createWorkerStreams(service, ready.promise)
  const hosts = new Set<string>()
  const answers = { workers: whenReady(createWorkerApp(service)), users: userFetch, streams, ready: ready.promise }
  const forWorkers = { contextFor: createSecureContexts(folder.folder) }
  const workerListeners = createWorkerListeners({
    storage,
    ports: 'server.workerPorts',
    hosts,
    fetch: answerWorkers(answers),
    streams,
    secure: forWorkers,
  })
  closers.push(workerListeners.close)
  const namesOfService = () => [containers.serviceId(), ...storage.machines.all().map(({ id }) => id)]
  const machineListeners = createWorkerListeners({
    storage,
    ports: 'server.machinePorts',
    hosts,
    secure: forWorkers,
    ...createMachineApp({ ...answers, keys: service.keys, names: namesOfService }),
  })
  closers.push(machineListeners.close)
  workerUrl = `http://${LOOPBACK}:${(await workerListeners.open(LOOPBACK)).port}`

  const { secure, fingerprint } = await secureAnswers(folder.folder, options)
  const killed = readServiceFile(folder.serviceFile)
  const portBefore = killed ? portOfService(killed.url) : lastPorts(storage, 'server.userPorts')[LOOPBACK]
  const { forUsers, onComfyuiPort } = createStreams(streams, service, ready.promise)
  const userListener = await listenForUsers({ fetch: userFetch, streams: forUsers, secure }, options, portBefore)
  closers.push(userListener.close)
  const { port } = userListener
  // The next start tries the usual ports again, in order, instead of this one.
  if (options.port !== undefined && port !== portBefore)
    await storage.write(() => storage.state.set('server.userPorts', { [LOOPBACK]: port }))
  const url = `http://${LOOPBACK}:${port}`
  for (const host of userListener.hosts) hosts.add(host)
  facts = {
    version: packageJson.version,
    pid: process.pid,
    url,
    hosts,
    data: folder.folder,
    keyFile: folder.keyFile,
    command: commandHere(folder.folder),
    startedAt,
  }
  await core.start()
  const comfyuiPorts = createComfyuiPorts({ storage, clock: service.clock, log }, onComfyuiPort)
  closers.push(comfyuiPorts.stop)
  await comfyuiPorts.start()
  ready.resolve()
  writePrivate(
    folder.serviceFile,
    JSON.stringify({
      pid: process.pid,
      url,
      workerUrl,
      startedAt,
      version: packageJson.version,
      database: statSync(folder.database).ino,
    } satisfies ServiceFile),
  )
  const onQuiet = () => {
    storage.releaseMemory()
    collectGarbage()
  }
  const unwatch = watchForQuiet({ time: systemTime, computedMs, onQuiet })
  open.push(async () => unwatch())
  log.info('service started', { url, data: folder.folder })

  const stopped = Promise.withResolvers<void>()
  let stopping: Promise<void> | undefined
  const stop = () => {
    if (stopping === undefined) log.info('service stops')
    stopping ??= closeAll().finally(stopped.resolve)
    return stopping
  }
  return {
    url,
    data: folder.folder,
    keyFile: folder.keyFile,
    workerUrl,
    warnings: [lostLog, ofDisk].filter((text) => text !== undefined),
    fingerprint,
    stop,
    hurry: core.hurry,
    runningJobs: core.runningJobs,
    left: core.left,
    stopGraceMs,
    stopped: stopped.promise,
  }
}

const DOUBTS = {
  kept: 'another process uses the data folder, whose lock file was deleted',
  'saved again': 'the database was deleted while it was open; it was written again, and the service ends',
  replaced: 'the database was replaced while it was open; the service ends',
} as const

function keepFiles(opened: OpenedFolder, log: Log): () => void {
  let hasFailed = false
  let cancel = systemTime.after(LOCK_CHECK_MS, check)
  function check(): void {
    cancel = systemTime.after(LOCK_CHECK_MS, check)
    try {
      const database = opened.keepDatabase()
      if (database === 'kept' && opened.keepLock()) return
      log.error(DOUBTS[database])
      onDoubt()
    } catch (error) {
      if (!hasFailed) log.warn('the lock file or the database cannot be made again', { error })
      hasFailed = true
    }
  }
  return () => cancel()
}

function prepareKey(path: string, key: string): () => void {
  try {
    return preparePrivate(path, key)
  } catch (error) {
    throw fileError(error, 'the new key could not be written')
  }
}

// A plain name within one folder, so that no request leads outside it.
const ASSET_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/**
 * Reads the built pages each time, because a build may replace them while the service runs.
 * @param folder absolute; it need not exist
 */
export function openPageFiles(folder: string): PageFiles {
  async function read(...path: readonly string[]): Promise<PageFile | undefined> {
    const file = join(folder, ...path)
    try {
      return { body: await readFile(file), type: pageFileType(file) }
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined
      throw error
    }
  }
  return {
    index: () => read('index.html'),
    asset: async (name) => (ASSET_NAME.test(name) ? read('assets', name) : undefined),
  }
}

/**
 * Trace address from OpenTelemetry's environment variables; undefined if absent or unusable. Source: the specification
 * of OpenTelemetry, OTLP exporter.
 */
function tracesAddress(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  if (isHttp(own)) return own
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  return isHttp(base) ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined
}

const isHttp = (text: string | undefined): text is string =>
  text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
