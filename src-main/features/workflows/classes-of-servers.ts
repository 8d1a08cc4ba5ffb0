/** The node classes of an endpoint with several ComfyUI servers: those of all servers together. */
import { AppError } from '../../contract/errors.ts'
import type { NodeTypesResponse } from '../../contract/workflows.ts'
import type { Clock } from '../../lib/clock.ts'
import { createTurns } from '../../lib/turns.ts'
import type { Endpoint, Storage, StoredNodeTypes } from '../../storage/storage.ts'
import type { WorkflowServers } from '../workers/registry/workflow-servers.ts'
import type { ReadsGraphs } from './ports/readers.ts'
import type { WorkflowPorts } from './ports.ts'
import { serversOf, withoutCredentials } from './rules/server-address.ts'
import { UnusableClasses } from './rules/unusable-classes.ts'

type Deps = ReadsGraphs & {
  readonly storage: Pick<Storage, 'nodeTypes'>
  readonly clock: Pick<Clock, 'now'>
  readonly ports: Pick<WorkflowPorts, 'fetchNodeTypes'>
  readonly servers: Pick<WorkflowServers, 'noteAnswer' | 'noteAway'>
  readonly stopping: AbortSignal
  readonly save: (endpoint: Endpoint, types: StoredNodeTypes) => Promise<NodeTypesResponse>
}

/** Hears of each server once its answer is in use, or why it is not. */
export type OnEnd = (address: string, failure: Error | undefined) => void

type Answer = { readonly address: string; readonly text: string; readonly version: string | undefined }

export const unreadable = (server: string, cause: Error) =>
  new AppError('NODE_TYPES_UNREADABLE', { server, why: cause.message }, { cause })

export function createClassesOfServers({ storage, clock, ports, readInThread, servers, stopping, save }: Deps) {
  const { inTurn } = createTurns()

  /** Uses each answer as it arrives, because a server may hang. A server that does not answer keeps its classes. */
  return async (
    endpoint: Endpoint,
    addresses: readonly string[],
    onEnd: OnEnd = () => undefined,
  ): Promise<NodeTypesResponse> => {
    const all = serversOf(endpoint.config.workflows)
    const waiting: Answer[] = []
    const used: Answer[] = []
    const failures = new Map<string, Error>()
    let merges = 0
    let latest: NodeTypesResponse | undefined

    async function take(address: string): Promise<void> {
      try {
        waiting.push({ address, ...(await ports.fetchNodeTypes(address, stopping)) })
        await inTurn(endpoint.id, () => merge(waiting.splice(0)))
      } catch (error) {
        if (!(error instanceof Error)) throw error
        failures.set(address, error)
      }
      const failure = failures.get(address)
      if (failure !== undefined) servers.noteAway(address, whyAway(failure))
      onEnd(address, failure)
    }

    async function merge(answers: readonly Answer[]): Promise<void> {
      if (answers.length === 0) return
      const known = storage.nodeTypes.get(endpoint.id)
      const ordered = answers.toSorted((one, other) => all.indexOf(one.address) - all.indexOf(other.address))
      const kept = answers.length < all.length ? known?.text : undefined
      const read = await readInThread.serverClasses(
        ordered.map(({ text }) => text),
        kept,
      )
      if ('problem' in read && ordered.length > 1) {
        for (const answer of ordered) await merge([answer])
        return
      }
      for (const [at, answer] of ordered.entries()) {
        const has = 'problem' in read ? read : read.servers[at]
        if (has === undefined || 'problem' in has)
          failures.set(answer.address, new UnusableClasses(`its answer ${has?.problem ?? 'is lost'}`))
        else if (!used.includes(answer)) {
          servers.noteAnswer(answer.address, { classes: new Set(has.classes), models: new Set(has.models) })
          used.push(answer)
        }
      }
      if ('problem' in read || ordered.every(({ address }) => failures.has(address))) return
      merges += 1
      const version = ordered.find((answer) => answer.version !== undefined)?.version
      const server = withoutCredentials(all[0] ?? '')
      const types = { text: read.text, source: 'server', readAt: clock.now(), server, version } as const
      latest = known?.source === 'file' ? known : await save(endpoint, types)
    }

    await Promise.all(addresses.map(take))
    // Once more without the stored ones: no server has the rest of them any more. A server may be lost by now.
    if (used.length === all.length && merges > 1) await inTurn(endpoint.id, () => merge(used))
    if (latest !== undefined) return latest
    throw unreadable(withoutCredentials(all[0] ?? ''), [...failures.values()][0] ?? new Error('no server answers'))
  }
}

const whyAway = (failure: Error) =>
  failure instanceof UnusableClasses ? `is not used, because ${failure.message}` : `does not answer: ${failure.message}`
