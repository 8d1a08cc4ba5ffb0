/**
 * Decides which waiting graph each free ComfyUI server of an endpoint takes, and says why one waits. Loading models takes
 * longer than most graphs, so a server goes on with those that it has loaded. Source: ours.
 */
import { capitalized } from '../../../lib/text.ts'

export type GraphNeeds = { readonly classes: readonly string[]; readonly models: readonly string[] }

export type ServerFacts = {
  /** From 1, in the order of the settings. */
  readonly number: number
  readonly name: string
  readonly isDrained: boolean
  /** Like `does not answer`; undefined: it answers. */
  readonly awayBecause: string | undefined
  /** Last known; undefined: never read. */
  readonly has: { readonly classes: ReadonlySet<string>; readonly models: ReadonlySet<string> } | undefined
  /** Models of the graph that it got last. */
  readonly loaded: readonly string[]
  /** The graph that it runs: since when, in steady ms, and whether it loads models for it. Undefined: none. */
  readonly busy: { readonly since: number; readonly loads: boolean } | undefined
  /** Graphs that it was lost with, by `seq`. */
  readonly lostWith: ReadonlySet<number>
}

export type WaitingGraph = {
  readonly seq: number
  readonly lowPriority: 0 | 1
  readonly priority: number
  /** Steady ms. */
  readonly queuedAt: number
  /** Placed by hand, so that no other overtakes it. */
  readonly isPlaced: boolean
  /** Undefined: unknown, as it was queued before the endpoint had several servers. */
  readonly needs: GraphNeeds | undefined
}

/**
 * How long the next graph of the same models waits for a busy server, from the start of its graph, ms; about as
 * long as loading takes.
 */
export const LOADED_SERVER_WAIT_MS = 15_000
/** A graph overtakes only those that were queued at most this long before it, ms, so none waits forever. */
export const OVERTAKE_MS = 60_000

/** Whether it has a worker, which is ready by the time that the classes of the server are read. */
export const hasWorker = ({ isDrained, awayBecause }: ServerFacts): boolean => !isDrained && awayBecause === undefined

const isServing = (server: ServerFacts): boolean => hasWorker(server) && server.has !== undefined

const KINDS = { classes: 'node class', models: 'model' } as const
const KIND_NAMES = ['classes', 'models'] as const

/** The first thing that the server lacks and another one has, or may have if that one has not been read yet. */
function lackOf(
  needs: GraphNeeds | undefined,
  { has }: ServerFacts,
  servers: readonly ServerFacts[],
): string | undefined {
  if (needs === undefined || has === undefined) return undefined
  for (const kind of KIND_NAMES) {
    const lacking = needs[kind].find(
      (name) => !has[kind].has(name) && servers.some((other) => other.has?.[kind].has(name) !== false),
    )
    if (lacking !== undefined) return `${KINDS[kind]} ${lacking}`
  }
  return undefined
}

type Able = { readonly of: readonly ServerFacts['has'][]; readonly numbers: ReadonlySet<number> }

// Each commit asks for the same graphs, and what servers have changes rarely.
const lastAble = new WeakMap<GraphNeeds, Able>()

/** Numbers of the servers that lack nothing; all servers if each lacks something, because ComfyUI then names it. */
function ableServers(needs: GraphNeeds | undefined, servers: readonly ServerFacts[]): ReadonlySet<number> {
  const of = servers.map(({ has }) => has)
  const last = needs && lastAble.get(needs)
  if (last?.of.length === of.length && last.of.every((has, at) => has === of[at])) return last.numbers
  const numbers = findAble(needs, servers)
  if (needs !== undefined) lastAble.set(needs, { of, numbers })
  return numbers
}

function findAble(needs: GraphNeeds | undefined, servers: readonly ServerFacts[]): ReadonlySet<number> {
  const able = servers.filter((server) => lackOf(needs, server, servers) === undefined)
  return new Set((able.length > 0 ? able : servers).map(({ number }) => number))
}

/** Without those that were lost with the graph, if another one can take it: it has few tries. */
function triedLast(seq: number, able: ReadonlySet<number>, servers: readonly ServerFacts[]): ReadonlySet<number> {
  if (servers.every(({ lostWith }) => !lostWith.has(seq))) return able
  const others = servers.filter((server) => able.has(server.number) && isServing(server) && !server.lostWith.has(seq))
  return others.length > 0 ? new Set(others.map(({ number }) => number)) : able
}

const isLoaded = (models: readonly string[], { loaded }: Pick<ServerFacts, 'loaded'>) =>
  models.every((model) => loaded.includes(model))

export function withGraph<Server extends Pick<ServerFacts, 'loaded'>>(
  server: Server,
  models: readonly string[],
  now: number,
) {
  const loads = !isLoaded(models, server)
  return { ...server, loaded: loads ? models : server.loaded, busy: { since: now, loads } }
}

type Graph = WaitingGraph & {
  readonly models: readonly string[]
  readonly family: string
  readonly able: ReadonlySet<number>
}

export type Choice = { readonly seq: number; readonly number: number }

/**
 * @param waiting in claim order
 * @param free numbers of servers that can take one graph each
 * @returns `againAt`: when time alone makes a graph free for another server, steady ms
 */
export function chooseJobs(
  waiting: readonly WaitingGraph[],
  { servers, free, now }: { servers: readonly ServerFacts[]; free: ReadonlySet<number>; now: number },
): { readonly choices: readonly Choice[]; readonly againAt: number | undefined } {
  const choices: Choice[] = []
  const current = new Map(servers.map((server) => [server.number, server]))
  let left: readonly Graph[] = waiting.map((graph) => {
    const models = graph.needs?.models ?? []
    return {
      ...graph,
      models,
      family: JSON.stringify(models.toSorted()),
      able: triedLast(graph.seq, ableServers(graph.needs, servers), servers),
    }
  })

  function take(server: ServerFacts, graph: Graph | undefined): boolean {
    if (graph === undefined) return false
    const { seq, models } = graph
    choices.push({ seq, number: server.number })
    current.set(server.number, withGraph(server, models, now))
    left = left.filter((other) => other !== graph)
    return true
  }

  const cold = servers.filter((server) => {
    if (!free.has(server.number) || !isServing(server)) return false
    const open = openGraphs(left.filter(({ able }) => able.has(server.number)))
    return !take(
      server,
      open.find(({ models }) => isLoaded(models, server)),
    )
  })
  let againAt: number | undefined
  for (const server of cold) {
    const reserved = reservedGraphs(left, [...current.values()], now)
    const open = openGraphs(left.filter((graph) => graph.able.has(server.number) && !reserved.has(graph)))
    if (take(server, mostWanted(open, left, [...current.values()]))) continue
    for (const [{ able }, until] of reserved) if (able.has(server.number)) againAt = Math.min(againAt ?? until, until)
  }
  return { choices, againAt }
}

function openGraphs(graphs: readonly Graph[]): readonly Graph[] {
  const [first] = graphs
  if (first === undefined || first.isPlaced) return graphs.slice(0, 1)
  return graphs.filter(
    ({ lowPriority, priority, queuedAt }) =>
      lowPriority === first.lowPriority && priority === first.priority && queuedAt - first.queuedAt <= OVERTAKE_MS,
  )
}

/** One graph for each busy server that has its models loaded, and until when it waits for that server. */
function reservedGraphs(
  graphs: readonly Graph[],
  servers: readonly ServerFacts[],
  now: number,
): ReadonlyMap<Graph, number> {
  const reserved = new Map<Graph, number>()
  for (const server of servers) {
    const until = (server.busy?.since ?? Number.NEGATIVE_INFINITY) + LOADED_SERVER_WAIT_MS
    if (until <= now || server.busy?.loads !== false || !isServing(server)) continue
    const next = graphs.find(
      (graph) =>
        !reserved.has(graph) &&
        graph.models.length > 0 &&
        graph.able.has(server.number) &&
        isLoaded(graph.models, server),
    )
    if (next !== undefined) reserved.set(next, until)
  }
  return reserved
}

/** The first graph of the models that most graphs wait for, relative to the servers that have them loaded. */
function mostWanted(open: readonly Graph[], all: readonly Graph[], servers: readonly ServerFacts[]): Graph | undefined {
  const waiting = new Map<string, number>()
  for (const { family } of all) waiting.set(family, (waiting.get(family) ?? 0) + 1)
  const weights = new Map<string, number>()
  let best: Graph | undefined
  for (const graph of open) {
    const { family, models } = graph
    if (weights.has(family)) continue
    const weight = (waiting.get(family) ?? 0) / (1 + servers.filter((server) => isLoaded(models, server)).length)
    if (best === undefined || weight > (weights.get(best.family) ?? 0)) best = graph
    weights.set(family, weight)
  }
  return best
}

/** @returns undefined if the servers do not explain the wait */
export function whyServersWait(needs: GraphNeeds | undefined, servers: readonly ServerFacts[], seq?: number) {
  const able = ableServers(needs, servers)
  const serving = servers.filter((server) => able.has(server.number) && isServing(server))
  const others = servers.flatMap((server) => {
    const lack = able.has(server.number) ? undefined : lackOf(needs, server, servers)
    if (lack !== undefined) return [`${nameOf(server)} lacks ${lack}`]
    const wasLost = seq !== undefined && server.lostWith.has(seq)
    return whyNotServing(server) ?? (wasLost ? [`${nameOf(server)} was lost with it before`] : [])
  })
  const models = needs?.models ?? []
  const loaded =
    serving.some(({ busy }) => busy === undefined) && models.length > 0
      ? serving.filter((server) => server.busy !== undefined && isLoaded(models, server))
      : []
  const sentences = [...loaded.map((server) => `${nameOf(server)} has its models loaded and is busy`), ...others]
  if (sentences.length === 0) return undefined
  return {
    text: sentences.map((sentence) => `${capitalized(sentence)}.`).join(' '),
    needsChange: serving.length === 0 && servers.every(({ number, isDrained }) => isDrained || !able.has(number)),
    isWhole: serving.length === 0 || loaded.length > 0,
  }
}

function whyNotServing(server: ServerFacts): string | undefined {
  if (server.isDrained) return `${nameOf(server)} is drained`
  if (server.awayBecause !== undefined) return `${nameOf(server)} ${server.awayBecause}`
  return server.has === undefined ? `the node classes of ${nameOf(server)} have not been read yet` : undefined
}

const nameOf = ({ number, name }: ServerFacts) => `server ${number} (${name})`
