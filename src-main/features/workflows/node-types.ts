import { endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { NodePackagesResponse, NodeTypesResponse } from '../../contract/workflows.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseJson } from '../../lib/json/parse.ts'
import { type JsonObject, writeJson } from '../../lib/json/value.ts'
import { wait } from '../../lib/wait.ts'
import type { Endpoint, Storage, StoredNodeTypes } from '../../storage/storage.ts'
import type { WorkflowServers } from '../workers/registry/workflow-servers.ts'
import { createClassesOfServers, type OnEnd, unreadable } from './classes-of-servers.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import type { WorkflowPorts } from './ports.ts'
import { readClassesFile, typesIn } from './rules/classes-file.ts'
import type { PackagesByClass } from './rules/node-packages.ts'
import { type NodeType, type NodeTypes, readNodeTypes, withLists } from './rules/node-types.ts'
import { mayTakeWorkflows, takesWorkflows } from './rules/runs/takes-workflows.ts'
import { hasSeveralServers, serversOf, withoutCredentials } from './rules/server-address.ts'
import { UnusableClasses } from './rules/unusable-classes.ts'

type Deps = ReadsGraphs & {
  readonly storage: Pick<Storage, 'write' | 'nodeTypes' | 'endpoints'>
  readonly clock: Clock
  readonly ports: Pick<WorkflowPorts, 'builtInNodeTypes' | 'handlerClasses' | 'fetchNodeTypes'>
  readonly servers: Pick<WorkflowServers, 'noteAnswer' | 'noteAway'>
  readonly stopping: AbortSignal
}

export type NodeTypeRegistry = ReturnType<typeof createNodeTypeRegistry>

const LETTERS_A_TURN = 128 * 1024
// Endpoints whose classes stay in memory. Source: ours; a server's take some 20 MB.
const KEPT_MOST = 4

type BuiltIn = { readonly raw: JsonObject; readonly types: NodeTypes; readonly all: NodeTypesResponse }

let lastBuiltIn: (BuiltIn & { readonly file: string }) | undefined

function builtInOf(file: string): BuiltIn {
  if (lastBuiltIn?.file === file) return lastBuiltIn
  const read = readClassesFile(file)
  if (typeof read === 'string') throw new Error(`resources/node-types.json ${read}`)
  const { classes: raw, version } = read
  lastBuiltIn = { file, raw, types: readNodeTypes(raw), all: { text: writeJson(raw), source: 'built-in', version } }
  return lastBuiltIn
}

export function createNodeTypeRegistry({ storage, clock, ports, readInThread, servers, stopping }: Deps) {
  let builtIn: Promise<BuiltIn> | undefined

  // Each prompt needs the classes, which are megabytes. Key: the text, or endpoint and time of stored ones.
  const kept = new Map<string, NodeTypes>()

  const ofHandlers = new Map<string, NodeTypesResponse>()

  function readBuiltIn() {
    builtIn ??= ports.builtInNodeTypes().then(builtInOf)
    return builtIn
  }

  // A bundled worker with its own class list has only these.
  async function comeAlong(endpoint: Endpoint | undefined): Promise<NodeTypesResponse> {
    const { raw, all } = await readBuiltIn()
    const handler = endpoint?.config.handler
    if (handler === undefined) return all
    const known = ofHandlers.get(handler)
    if (known !== undefined) return known
    const own = await ports.handlerClasses(handler)
    if (own === undefined) return all
    const names = new Set(own.classes)
    const named = new Map([...raw].filter(([name]) => names.has(name)))
    const found = { ...all, text: writeJson(withLists(named, own.lists)) }
    ofHandlers.set(handler, found)
    return found
  }

  async function save(endpoint: Endpoint, types: StoredNodeTypes): Promise<NodeTypesResponse> {
    const now = clock.now()
    await storage.write(() => {
      const isNew = storage.nodeTypes.get(endpoint.id)?.text !== types.text
      storage.nodeTypes.save(endpoint.id, types)
      const current = storage.endpoints.read(endpoint.id)
      if (current === undefined) return
      const { config } = current
      const isOpened = !takesWorkflows(config) && mayTakeWorkflows(config)
      const known = isOpened ? endpointConfig.parse({ ...config, workflows: {} }) : config
      if (isOpened || isNew) storage.endpoints.save({ ...current, config: known, updatedAt: now }, 'updated', now)
    })
    kept.clear()
    return types
  }

  async function of(endpoint: Endpoint | undefined): Promise<NodeTypesResponse> {
    return (endpoint && storage.nodeTypes.get(endpoint.id)) ?? comeAlong(endpoint)
  }

  const reading = new Map<string, Promise<NodeTypesResponse>>()
  const faults = new Map<string, string>()
  const fetchOfSeveral = createClassesOfServers({ storage, clock, ports, readInThread, servers, stopping, save })

  return {
    of,
    /** Why the last read from its only server failed, as the end of a sentence. */
    faultOf: ({ config }: Endpoint): string | undefined => faults.get(config.workflows?.server ?? ''),
    async readOf(endpoint: Endpoint | undefined): Promise<NodeTypes> {
      if (endpoint === undefined) return (await readBuiltIn()).types
      const readAt = storage.nodeTypes.origin(endpoint.id)?.readAt
      const key = readAt === undefined ? (await comeAlong(endpoint)).text : `${endpoint.id} ${readAt}`
      const read = async () => (readAt === undefined ? typesIn(key) : readInTurns((await of(endpoint)).text))
      const types = kept.get(key) ?? (await read())
      kept.delete(key)
      kept.set(key, types)
      const [oldest = key] = kept.keys()
      if (kept.size > KEPT_MOST) kept.delete(oldest)
      return types
    },
    async take(endpoint: Endpoint, given: string): Promise<NodeTypesResponse> {
      const read = await readInThread.classes(given)
      if ('problem' in read) throw new AppError('BAD_FIELD', { field: 'text', why: read.problem })
      const { version, text = given } = read
      return save(endpoint, { text, source: 'file', readAt: clock.now(), version })
    },
    /** @param onEnd hears of each server once its answer is in use, or why it is not */
    fetch(endpoint: Endpoint, among = serversOf(endpoint.config.workflows), onEnd?: OnEnd): Promise<NodeTypesResponse> {
      if (hasSeveralServers(endpoint.config.workflows)) return fetchOfSeveral(endpoint, among, onEnd)
      const known = reading.get(endpoint.id)
      if (known !== undefined) return known
      const done = fetchOfOne(endpoint).finally(() => void reading.delete(endpoint.id))
      reading.set(endpoint.id, done)
      return done
    },
  }

  async function readInTurns(text: string): Promise<NodeTypes> {
    if (text.length <= LETTERS_A_TURN) return typesIn(text)
    const read = await readInThread.classTexts(text)
    if ('problem' in read) throw new Error(`the classes of nodes cannot be read: ${read.problem}`)
    const types = new Map<string, NodeType>()
    let letters = 0
    for (const [name, json] of read.texts) {
      letters += json.length
      if (letters > LETTERS_A_TURN) {
        await wait(clock, { ms: 0, signal: stopping, listen: () => () => undefined })
        letters = json.length
      }
      const parsed = parseJson(json)
      const [type] = parsed === undefined ? [] : readNodeTypes(new Map([[name, parsed]])).values()
      if (type !== undefined) types.set(name, type)
    }
    return types
  }

  async function fetchOfOne(endpoint: Endpoint): Promise<NodeTypesResponse> {
    const address = endpoint.config.workflows?.server
    if (address === undefined)
      throw unreadable(endpoint.id, new Error('the endpoint names no server in its settings (workflows.server)'))
    const server = withoutCredentials(address)
    const fail = (error: Error) => {
      faults.set(address, error.message)
      throw unreadable(server, error)
    }
    const { text, version } = await ports.fetchNodeTypes(address, stopping).catch(fail)
    const read = await readInThread.classes(text)
    if ('problem' in read) return fail(new UnusableClasses(`its answer ${read.problem}`))
    faults.delete(address)
    return save(endpoint, { text, source: 'server', readAt: clock.now(), server, version })
  }
}

export type FindNodePackages = (classes: readonly string[]) => Promise<NodePackagesResponse>

type Known = { readonly changedAt: number; readonly read: Promise<PackagesByClass> }

export function createNodePackages(packageIndex: WorkflowPorts['packageIndex']): FindNodePackages {
  let known: Known | undefined
  return async (asked) => {
    const changedAt = await packageIndex.changedAt()
    if (changedAt === undefined) known = undefined
    else if (known?.changedAt !== changedAt) known = { changedAt, read: packageIndex.read() }
    try {
      const index = await known?.read
      const classes = [...new Set(asked)].flatMap((name) => {
        const packages = index?.get(name)
        return packages === undefined ? [] : [{ name, packages: [...packages] }]
      })
      return { classes }
    } catch (error) {
      return { classes: [], fault: (error as Error).message }
    }
  }
}
