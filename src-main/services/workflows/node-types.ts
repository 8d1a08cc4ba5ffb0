/** The classes of nodes of endpoints: those that come along, of a file, or of the server behind an endpoint. */
import { endpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { NodeTypesAnswer } from '../../contract/workflows.ts'
import { parseJson } from '../../domain/workflow/json/parse.ts'
import { isObject, type JsonObject } from '../../domain/workflow/json/value.ts'
import { writeJson } from '../../domain/workflow/json/write.ts'
import { type NodeTypes, readNodeTypes, withLists } from '../../domain/workflow/node-types.ts'
import { withoutCredentials } from '../../domain/workflow/server/server-address.ts'
import { mayTakeWorkflows, takesWorkflows } from '../../domain/workflow-runs/takes-workflows.ts'
import type { StoredNodeTypes, WorkflowPorts } from '../ports/workflows.ts'
import type { Clock, Endpoint, Storage } from '../ports.ts'

type Deps = {
  readonly storage: Pick<Storage, 'write' | 'nodeTypes' | 'endpoints'>
  readonly clock: Pick<Clock, 'now'>
  readonly ports: Pick<WorkflowPorts, 'builtInNodeTypes' | 'handlerClasses' | 'fetchNodeTypes'>
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

/** What is known of classes of nodes. */
export type NodeTypeRegistry = {
  /** Of an endpoint; those that come along without one, and where nothing else is known. */
  readonly of: (endpoint: Endpoint | undefined) => Promise<NodeTypesAnswer>
  /** The same, read. */
  readonly readOf: (endpoint: Endpoint | undefined) => Promise<NodeTypes>
  /** Takes them from a file. @throws AppError BAD_FIELD */
  readonly take: (endpoint: Endpoint, text: string) => Promise<NodeTypesAnswer>
  /** Reads them from the server behind an endpoint. @throws AppError NODE_TYPES_UNREADABLE */
  readonly fetch: (endpoint: Endpoint) => Promise<NodeTypesAnswer>
}

/** Makes the registry. */
export function createNodeTypeRegistry({ storage, clock, ports, stopping }: Deps): NodeTypeRegistry {
  let builtIn: Promise<{ readonly text: string; readonly raw: JsonObject; readonly types: NodeTypes }> | undefined

  // Those of a server are megabytes, and are read for each run. By the text itself: another one is another object.
  let last: { readonly text: string; readonly types: NodeTypes } | undefined

  function readBuiltIn() {
    builtIn ??= ports.builtInNodeTypes().then((text) => {
      const raw = classesIn(text)
      if (typeof raw === 'string') throw new Error(`resources/node-types.json ${raw}`)
      return { text, raw, types: readNodeTypes(raw) }
    })
    return builtIn
  }

  // A worker that comes along and says which classes it runs has these alone.
  async function comeAlong(endpoint: Endpoint | undefined): Promise<NodeTypesAnswer> {
    const { text, raw } = await readBuiltIn()
    const handler = endpoint?.config.handler
    const own = handler === undefined ? undefined : await ports.handlerClasses(handler)
    if (own === undefined) return { text, source: 'built-in' }
    const names = new Set(own.classes)
    const named = new Map([...raw].filter(([name]) => names.has(name)))
    return { text: writeJson(withLists(named, own.lists)), source: 'built-in' }
  }

  async function save(endpoint: Endpoint, types: StoredNodeTypes): Promise<NodeTypesAnswer> {
    const now = clock.now()
    await storage.write(() => {
      storage.nodeTypes.save(endpoint.id, types)
      const { config, ...rest } = storage.endpoints.read(endpoint.id) ?? endpoint
      // Whose classes of nodes are known runs graphs.
      if (!takesWorkflows(config) && mayTakeWorkflows(config))
        storage.endpoints.save(
          { ...rest, config: endpointConfig.parse({ ...config, workflows: {} }), updatedAt: now },
          'updated',
          now,
        )
    })
    return types
  }

  async function of(endpoint: Endpoint | undefined): Promise<NodeTypesAnswer> {
    return (endpoint && storage.nodeTypes.get(endpoint.id)) ?? comeAlong(endpoint)
  }

  return {
    of,
    async readOf(endpoint) {
      const { text, source } = await of(endpoint)
      if (source === 'built-in' && endpoint === undefined) return (await readBuiltIn()).types
      if (last?.text === text) return last.types
      const raw = classesIn(text)
      const types: NodeTypes = typeof raw === 'string' ? new Map() : readNodeTypes(raw)
      last = { text, types }
      return types
    },
    async take(endpoint, text) {
      const raw = classesIn(text)
      if (typeof raw === 'string') throw new AppError('BAD_FIELD', { field: 'text', why: raw })
      return save(endpoint, { text, source: 'file', readAt: clock.now() })
    },
    async fetch(endpoint) {
      const address = endpoint.config.workflows?.server
      // What is told and kept of it is not the password.
      const server = address === undefined ? undefined : withoutCredentials(address)
      const unreadable = (why: string, cause?: unknown) =>
        new AppError('NODE_TYPES_UNREADABLE', { server: server ?? endpoint.id, why }, { cause })
      if (address === undefined || server === undefined)
        throw unreadable('the endpoint names no server in its settings (workflows.server)')
      const text = await ports.fetchNodeTypes(address, stopping).catch((error: Error) => {
        throw unreadable(error.message, error)
      })
      const raw = classesIn(text)
      if (typeof raw === 'string') throw unreadable(`its answer ${raw}`)
      return save(endpoint, { text, source: 'server', readAt: clock.now(), server })
    },
  }
}

const WORDS = 60

/** The classes in a text; else why it holds none, as the end of a sentence. */
function classesIn(text: string): JsonObject | string {
  const parsed = parseJson(text)
  if (parsed.kind === 'fault') {
    const { why, line, column } = parsed.fault
    return `is no JSON (${why} in line ${line}, column ${column}); it begins with: ${text.trim().slice(0, WORDS)}`
  }
  const { value } = parsed
  const isOne = isObject(value) && [...value.values()].some((one) => isObject(one) && isObject(one.get('input')))
  return isOne ? value : 'holds no class of nodes: it must be as GET /object_info of a ComfyUI server answers'
}
