/**
 * Builds images by the BuildKit of the engine: Docker Engine API, POST /build with version=2. Podman and older engines
 * have another builder, which answers on the same route.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type Docker from 'dockerode'
import protobuf from 'protobufjs/light.js'
import type { ImageBuildEvent } from '../../contract/worker-images.ts'
import { present } from '../../lib/json/plain.ts'
import { openSession, type SessionContent } from './buildkit-session.ts'
import { engineMessage, readMessages } from './engine-messages.ts'
import { withoutTimes } from './image-times.ts'

export type BuildKitBuild = SessionContent & {
  readonly context: Readable
  readonly tag: string
  readonly dockerfile?: string | undefined
  readonly buildArgs?: Readonly<Record<string, string>> | undefined
  readonly noCache?: boolean | undefined
  readonly target?: string | undefined
  readonly platform?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** s; the time of the image and of its layers, so that two builds are alike. */
  readonly epoch?: number | undefined
}

type Watch = { readonly report: (event: ImageBuildEvent) => void; readonly signal: AbortSignal }

const TRACE = 'moby.buildkit.trace'
const IMAGE_ID = 'moby.image.id'

const time = { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } }
const statusResponse = protobuf.Root.fromJSON({
  nested: {
    Time: time,
    Vertex: {
      fields: {
        digest: { type: 'string', id: 1 },
        name: { type: 'string', id: 3 },
        cached: { type: 'bool', id: 4 },
        started: { type: 'Time', id: 5 },
        completed: { type: 'Time', id: 6 },
        error: { type: 'string', id: 7 },
      },
    },
    Log: { fields: { vertex: { type: 'string', id: 1 }, msg: { type: 'bytes', id: 4 } } },
    StatusResponse: {
      fields: { vertexes: { rule: 'repeated', type: 'Vertex', id: 1 }, logs: { rule: 'repeated', type: 'Log', id: 3 } },
    },
  },
}).lookupType('StatusResponse')

type Time = { readonly seconds: number; readonly nanos: number }
type Status = {
  readonly vertexes?: readonly {
    readonly digest: string
    readonly name: string
    readonly cached?: boolean
    readonly started?: Time
    readonly completed?: Time
    readonly error?: string
  }[]
  readonly logs?: readonly { readonly vertex: string; readonly msg: Uint8Array }[]
}

export async function buildWithBuildKit(
  docker: Docker,
  build: BuildKitBuild,
  watch: Watch,
): Promise<{ readonly imageId: string }> {
  const { signal } = watch
  signal.throwIfAborted()
  const why = whyNoBuildKit(await docker.version(), build.env ?? {})
  const secrets = Object.keys(build.secrets ?? {})
  if (why !== undefined && secrets.length > 0)
    throw new Error(
      `the build needs the ${secrets.length === 1 ? 'secret' : 'secrets'} ${secrets.join(', ')}, which only BuildKit can mount, and ${why}. Build with Docker 18.09 or newer`,
    )
  const session = why === undefined ? await openSession(docker, build) : undefined
  const buildid = randomUUID()
  const cancel = () => {
    build.context.destroy()
    void docker.modem.dial(
      { path: `/build/cancel?id=${buildid}`, method: 'POST', statusCodes: { 200: true, 204: true } },
      () => undefined,
    )
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const stream = await startBuild(docker, {
      build,
      options: session === undefined ? {} : { version: '2', session: session.id, buildid },
      signal,
    })
    const imageId = await readBuild(stream, watch)
    if (build.epoch === undefined) return { imageId }
    return { imageId: await withoutTimes(docker, { tag: build.tag, imageId, epoch: build.epoch }) }
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(engineMessage(error), { cause: error })
  } finally {
    signal.removeEventListener('abort', cancel)
    session?.close()
  }
}

// The first version of the engine's API with BuildKit; source: Docker's release notes of 18.09.
const FIRST_API = [1, 39] as const

export function whyNoBuildKit(
  { ApiVersion, Components = [] }: { readonly ApiVersion: string; readonly Components?: readonly { Name: string }[] },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (env.DOCKER_BUILDKIT === '0') return 'DOCKER_BUILDKIT is 0'
  if (Components.some(({ Name }) => Name.startsWith('Podman'))) return "Podman's engine has none"
  const [major = 0, minor = 0] = ApiVersion.split('.').map(Number)
  const isOld = major < FIRST_API[0] || (major === FIRST_API[0] && minor < FIRST_API[1])
  return isOld ? `the engine's API ${ApiVersion} has none` : undefined
}

type Start = {
  readonly build: BuildKitBuild
  readonly options: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

function startBuild(docker: Docker, { build, options, signal }: Start): Promise<Readable> {
  const { tag, dockerfile, buildArgs = {}, noCache = false, target, platform, epoch } = build
  const epochArgument = epoch === undefined ? {} : { SOURCE_DATE_EPOCH: String(epoch) }
  const request = {
    path: '/build?',
    method: 'POST',
    file: build.context,
    abortSignal: signal,
    isStream: true,
    statusCodes: { 200: true },
    options: {
      t: tag,
      ...present({ dockerfile, target, platform }),
      ...(noCache ? { nocache: true } : {}),
      buildargs: { ...buildArgs, ...epochArgument },
      rm: true,
      forcerm: true,
      ...options,
    },
  }
  return new Promise((resolve, reject) =>
    docker.modem.dial(request, (error, stream) =>
      stream instanceof Readable ? resolve(stream) : reject(error ?? new Error('the engine sent no progress')),
    ),
  )
}

async function readBuild(stream: Readable, { report }: Watch): Promise<string> {
  let imageId = ''
  const readLine = classicLines(report)
  for await (const message of readMessages(stream)) {
    if (message.error !== undefined) throw new Error(message.error)
    const { aux } = message
    if (message.id === TRACE && typeof aux === 'string') reportStatus(aux, report)
    else if (typeof aux === 'object' && aux.ID !== undefined) imageId = aux.ID
    else if (message.id !== IMAGE_ID && message.stream !== undefined)
      for (const line of message.stream.split('\n')) readLine(line)
  }
  return imageId
}

function reportStatus(aux: string, report: Watch['report']): void {
  const decoded = statusResponse.decode(Buffer.from(aux, 'base64'))
  const { vertexes = [], logs = [] }: Status = statusResponse.toObject(decoded, { longs: Number })
  for (const { digest, name, cached = false, started, completed, error = '' } of vertexes) {
    const state =
      error !== '' ? 'failed' : completed === undefined ? (started ? 'started' : 'waits') : cached ? 'cached' : 'done'
    const tookMs = started && completed ? msOf(completed) - msOf(started) : undefined
    report({ kind: 'step', id: digest, name, state, tookMs })
  }
  for (const { vertex, msg } of logs) {
    const text = stripVTControlCharacters(Buffer.from(msg).toString())
    report({ kind: 'output', id: vertex, text })
  }
}

const msOf = ({ seconds, nanos = 0 }: Time) => seconds * 1000 + nanos / 1e6

const NO_OUTPUT = /^ *-+> |^Removing intermediate /

export function classicLines(report: Watch['report']): (line: string) => void {
  let current: { readonly id: string; readonly name: string } | undefined
  let isCached = false
  const end = () => {
    if (current !== undefined)
      report({ kind: 'step', ...current, state: isCached ? 'cached' : 'done', tookMs: undefined })
  }
  return (line) => {
    const [, step, of, text] = /^step (\d+)\/(\d+) ?: (.*)$/i.exec(line) ?? []
    if (step !== undefined) {
      end()
      isCached = false
      current = { id: `step ${step}`, name: `[${step}/${of}] ${text}` }
      report({ kind: 'step', ...current, state: 'started', tookMs: undefined })
    } else if (/^\s*-+> Using cache/.test(line)) isCached = true
    else if (/^(COMMIT|Successfully built) /.test(line)) {
      end()
      current = undefined
    } else if (current !== undefined && line !== '' && !NO_OUTPUT.test(line))
      report({ kind: 'output', id: current.id, text: `${stripVTControlCharacters(line)}\n` })
  }
}
