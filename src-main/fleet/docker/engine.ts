/**
 * The connection to the Docker engine: made when it is first needed, watched by its stream of events, and made again
 * when it breaks. dockerode is loaded then too, as a service without containers should not carry it.
 */
import type Docker from 'dockerode'
import type { Clock, Log } from '../../services/ports.ts'
import type { EngineAddress } from './find-engine.ts'

/** What the engine told of a container of ours. */
export type ContainerEvent = {
  readonly action: string
  readonly containerId: string
  readonly attributes: Readonly<Record<string, string>>
}

/** What is asked of an engine once. Bytes for memory. */
export type EngineFacts = {
  readonly version: string
  readonly source: string
  /** Docker Desktop and its kin: containers are in a virtual machine, so neither side sees the addresses of the other. */
  readonly inVirtualMachine: boolean
  readonly rootless: boolean
  readonly cpus: number
  readonly memoryBytes: number
  readonly info: Readonly<Record<string, unknown>>
}

/** A client that is connected, and what is known of its engine. */
export type Connected = { readonly docker: Docker; readonly facts: EngineFacts }

/** The engine. */
export type Engine = {
  /** The client. Rejects, with a sentence for a person, when no engine answers. */
  readonly connect: () => Promise<Connected>
  /** As `connect`, for a question: where no engine answers, nobody waits for one, so none is looked for later. */
  readonly look: () => Promise<Connected>
  /** Why the engine cannot be used now; undefined while it answers, or before anybody asked. */
  readonly fault: () => string | undefined
  /** Whether an engine has answered before, so that one that is away is likely to come back. */
  readonly wasConnected: () => boolean
  readonly onEvent: (listener: (event: ContainerEvent) => void) => void
  /** Hears of every connection, also the first, and of every loss. */
  readonly onChange: (listener: (state: 'connected' | 'lost') => void) => void
  readonly close: () => void
}

/** What the connection needs. */
export type EngineOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Asked anew for each try: an engine that is installed meanwhile is found. */
  readonly places: () => readonly EngineAddress[]
  /** Label of the containers whose events are wanted. */
  readonly label: string
}

// Between two tries, ms; source: targets 4 allows 10 s.
const RETRY_MS = 500
// A socket that accepts and says nothing is no engine, ms; source: ours.
const ANSWER_MS = 5000

/** Makes the connection; nothing is opened yet. */
export function createEngine({ clock, log, places, label }: EngineOptions): Engine {
  const eventListeners: ((event: ContainerEvent) => void)[] = []
  const changeListeners: ((state: 'connected' | 'lost') => void)[] = []
  let connected: Promise<Connected> | undefined
  let fault: string | undefined
  let everConnected = false
  let cancelRetry: (() => void) | undefined
  let endEvents: (() => void) | undefined
  let closed = false

  const tell = (state: 'connected' | 'lost') => {
    for (const listener of changeListeners) listener(state)
  }

  async function open(): Promise<Connected> {
    const tried: string[] = []
    for (const place of places()) {
      try {
        const docker = await clientFor(place)
        const facts = await readFacts(docker, place.source)
        await watch(docker)
        fault = undefined
        everConnected = true
        log.info('connected to the Docker engine', { source: place.source, version: facts.version })
        queueMicrotask(() => tell('connected'))
        return { docker, facts }
      } catch (error) {
        tried.push(`${place.source} (${place.host}): ${(error as Error).message}`)
      }
    }
    const looked = tried.length === 0 ? 'there is no socket at any usual place' : tried.join('; ')
    throw new Error(`no Docker engine answers: ${looked}. Start Docker, or set DOCKER_HOST`)
  }

  async function watch(docker: Docker): Promise<void> {
    const filters = JSON.stringify({ type: ['container'], event: ['die', 'kill', 'oom'], label: [label] })
    const stream = await docker.getEvents({ filters })
    let rest = ''
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((text) => text.trim() !== '')) hear(line)
    })
    const lose = once(() => lost())
    for (const event of ['end', 'close', 'error']) stream.on(event, lose)
    endEvents = () => {
      stream.removeAllListeners('end')
      stream.removeAllListeners('close')
      stream.on('error', () => undefined)
      if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
    }
    // Whoever looks as the service stops would keep it from ending.
    if (closed) endEvents()
  }

  function hear(line: string): void {
    const { Action, Actor } = JSON.parse(line)
    for (const listener of eventListeners)
      listener({ action: Action, containerId: Actor.ID, attributes: Actor.Attributes })
  }

  function lost(): void {
    if (closed) return
    connected = undefined
    fault = 'the Docker engine went away; waiting for it to come back'
    log.warn('connection to the Docker engine lost')
    tell('lost')
    retry()
  }

  function retry(): void {
    if (closed || cancelRetry !== undefined) return
    cancelRetry = clock.after(RETRY_MS, () => {
      cancelRetry = undefined
      connect().catch(() => undefined) // `fault` says why, and the next try is on its way
    })
  }

  function look(): Promise<Connected> {
    if (connected !== undefined) return connected
    const attempt = open()
    connected = attempt
    attempt.catch(() => {
      if (connected === attempt) connected = undefined
    })
    return attempt
  }

  function connect(): Promise<Connected> {
    const attempt = look()
    attempt.catch((error: Error) => {
      fault = error.message
      retry()
    })
    return attempt
  }

  return {
    connect,
    look,
    fault: () => fault,
    wasConnected: () => everConnected,
    onEvent: (listener) => eventListeners.push(listener),
    onChange: (listener) => changeListeners.push(listener),
    close() {
      closed = true
      cancelRetry?.()
      endEvents?.()
    },
  }
}

function once(run: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    run()
  }
}

async function clientFor({ host }: EngineAddress): Promise<Docker> {
  const { default: Client } = await import('dockerode')
  if (host.startsWith('unix://')) return new Client({ socketPath: host.slice('unix://'.length) })
  if (host.startsWith('npipe:')) return new Client({ socketPath: host.slice('npipe:'.length) })
  const address = new URL(host.replace(/^tcp:/, 'http:'))
  if (address.protocol !== 'http:' || !['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname))
    throw new Error('it is on another machine, from which workers could not reach this service')
  return new Client({ host: address.hostname, port: address.port || '2375', protocol: 'http' })
}

async function readFacts(docker: Docker, source: string): Promise<EngineFacts> {
  const info = (await within(docker.info(), 'it does not answer')) as Record<string, unknown>
  const system = String(info.OperatingSystem ?? '')
  const security = Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : []
  return {
    version: String(info.ServerVersion ?? 'unknown'),
    source,
    inVirtualMachine: process.platform !== 'linux' || system.includes('Docker Desktop'),
    rootless: security.some((option) => option.includes('rootless')),
    cpus: Number(info.NCPU ?? 1),
    memoryBytes: Number(info.MemTotal ?? 0),
    info,
  }
}

function within<T>(answer: Promise<T>, otherwise: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(otherwise)), ANSWER_MS)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}
