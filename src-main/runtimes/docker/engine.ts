/** Connects lazily to the Docker engine, and again after its event stream ends. dockerode is loaded lazily too. */
import type Docker from 'dockerode'
import type { Clock, Log } from '../../lib/clock.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { networkReason } from '../../lib/network-error.ts'
import { LOOPBACK, LOOPBACK_NAMES } from '../../lib/own-addresses.ts'
import { cutLines } from '../../lib/text.ts'
import { untilAborted } from '../../lib/wait.ts'
import type { EngineAddress } from './find-engine.ts'

export type ContainerEvent = {
  readonly action: string
  readonly containerId: string
  readonly attributes: Readonly<Record<string, string>>
}

export type EngineFacts = {
  readonly version: string
  readonly source: string
  /** Containers in a virtual machine, as in Docker Desktop: neither side sees the other's addresses. */
  readonly inVirtualMachine: boolean
  readonly rootless: boolean
  readonly cpus: number
  readonly memoryBytes: number
  readonly info: Readonly<Record<string, unknown>>
}

export type Connected = { readonly docker: Docker; readonly facts: EngineFacts }

export type Engine = {
  readonly connect: () => Promise<Connected>
  /** For a question: without an engine, none is sought later. */
  readonly findEngine: () => Promise<Connected>
  /** Pings it, to notice a lost connection. */
  readonly check: () => Promise<void>
  readonly checkedAfter: <T>(work: Promise<T>) => Promise<T>
  readonly problem: () => string | undefined
  readonly wasConnected: () => boolean
  readonly onEvent: (listener: (event: ContainerEvent) => void) => void
  readonly onChange: (listener: (state: 'connected' | 'lost') => void) => void
  /** Also ends a connection attempt; later ones are refused. An open connection still serves requests, without events. */
  readonly close: () => void
}

export type EngineLocation = {
  /**
   * Asked for each try, because engines may be installed meanwhile. Rejects with a sentence if the machine is
   * unreachable.
   */
  readonly addresses: () => readonly EngineAddress[] | Promise<readonly EngineAddress[]>
  readonly whyNoEngine: (tried: readonly string[]) => string
  readonly isOnLinux: boolean
}

// Pause between tries, ms; source: docs/spec/targets.md, 2.4 allows 10 s.
const RETRY_MS = 500
// A silent socket is no engine, ms; source: ours.
const RESPONSE_MS = 5000

export function createEngine(options: {
  readonly clock: Clock
  readonly log: Log
  readonly place: EngineLocation
  readonly label: string
}): Engine {
  const { clock, log, place, label } = options
  const events = createEmitter<[ContainerEvent]>()
  const changes = createEmitter<['connected' | 'lost']>()
  let connected: Promise<Connected> | undefined
  let problem: string | undefined
  let everConnected = false
  let cancelRetry: (() => void) | undefined
  let endEvents: (() => void) | undefined
  const closing = new AbortController()

  function answered<T>(call: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const cancel = clock.after(RESPONSE_MS, () => reject(new Error('it does not answer')))
    return Promise.race([call, promise]).finally(cancel)
  }

  async function open(): Promise<Connected> {
    const tried: string[] = []
    for (const address of await place.addresses()) {
      closing.signal.throwIfAborted()
      try {
        const docker = await clientFor(address)
        const info = await answered<Record<string, unknown>>(docker.info())
        const facts = readFacts(info, address.source, place.isOnLinux)
        await watch(docker)
        problem = undefined
        everConnected = true
        log.info('connected to the Docker engine', { source: address.source, version: facts.version })
        queueMicrotask(() => changes.emit('connected'))
        return { docker, facts }
      } catch (error) {
        tried.push(`${address.source} (${address.host}): ${networkReason(error)}`)
      }
    }
    throw new Error(place.whyNoEngine(tried))
  }

  async function watch(docker: Docker): Promise<void> {
    const filters = JSON.stringify({ type: ['container'], event: ['die', 'kill', 'oom'], label: [label] })
    const opening = new AbortController()
    const abortSignal = AbortSignal.any([closing.signal, opening.signal])
    const stream = await answered(docker.getEvents({ filters, abortSignal })).catch((error: unknown) => {
      opening.abort()
      throw error
    })
    const lines = cutLines()
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      for (const line of lines.take(text)) if (line.trim() !== '') onLine(line)
    })
    const lose = once(() => lost())
    for (const event of ['end', 'close', 'error']) stream.on(event, lose)
    endEvents = () => {
      stream.removeAllListeners('end')
      stream.removeAllListeners('close')
      stream.on('error', () => undefined)
      if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
    }
  }

  function onLine(line: string): void {
    const { Action, Actor } = JSON.parse(line)
    events.emit({ action: Action, containerId: Actor.ID, attributes: Actor.Attributes })
  }

  function lost(): void {
    if (closing.signal.aborted) return
    connected = undefined
    problem = 'the connection to the Docker engine was lost; reconnecting'
    log.warn('connection to the Docker engine lost')
    changes.emit('lost')
    retry()
  }

  function retry(): void {
    if (closing.signal.aborted || cancelRetry !== undefined) return
    cancelRetry = clock.after(RETRY_MS, () => {
      cancelRetry = undefined
      connect().catch(() => undefined)
    })
  }

  function findEngine(): Promise<Connected> {
    if (connected !== undefined) return connected
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason)
    const attempt = untilAborted(closing.signal, open())
    connected = attempt
    attempt.catch(() => {
      if (connected === attempt) connected = undefined
    })
    return attempt
  }

  function connect(): Promise<Connected> {
    const attempt = findEngine()
    attempt.catch((error: Error) => {
      problem = error.message
      retry()
    })
    return attempt
  }

  async function check(): Promise<void> {
    const asked = connected
    try {
      const { docker } = (await asked) ?? {}
      if (docker !== undefined) await answered(docker.ping())
    } catch {
      if (connected !== asked) return
      endEvents?.()
      lost()
    }
  }

  return {
    connect,
    findEngine,
    check,
    async checkedAfter(work) {
      try {
        return await work
      } catch (error) {
        await check()
        throw error
      }
    },
    problem: () => problem,
    wasConnected: () => everConnected,
    onEvent: events.on,
    onChange: changes.on,
    close() {
      closing.abort(new Error('the connection to the Docker engine was closed'))
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

async function clientFor({ host, agent }: EngineAddress): Promise<Docker> {
  const { default: Client } = await import('dockerode')
  if (agent !== undefined) {
    const through = { host: LOOPBACK, port: 1, protocol: 'http' as const, agent }
    return new Client(through)
  }
  if (host.startsWith('unix://')) return new Client({ socketPath: host.slice('unix://'.length) })
  if (host.startsWith('npipe:')) return new Client({ socketPath: host.slice('npipe:'.length) })
  const address = new URL(host.replace(/^tcp:/, 'http:'))
  if (address.protocol !== 'http:' || !LOOPBACK_NAMES.includes(address.hostname))
    throw new Error('it is on another machine, from which workers could not reach this service')
  return new Client({ host: address.hostname, port: address.port || '2375', protocol: 'http' })
}

function readFacts(info: Readonly<Record<string, unknown>>, source: string, isOnLinux: boolean): EngineFacts {
  const system = String(info.OperatingSystem ?? '')
  const security = Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : []
  return {
    version: String(info.ServerVersion ?? 'unknown'),
    source,
    inVirtualMachine: !isOnLinux || system.includes('Docker Desktop'),
    rootless: security.some((option) => option.includes('rootless')),
    cpus: Number(info.NCPU ?? 1),
    memoryBytes: Number(info.MemTotal ?? 0),
    info,
  }
}
