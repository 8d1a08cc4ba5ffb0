/**
 * What clients that read streams did before, as far as the form of their answers needs it: who has queued jobs, and who
 * got which answer as an array. In memory and bounded; whoever is forgotten gets the form of the specification.
 */
import type { JobState } from '../../contract/job.ts'
import { chooseStreamForm, isProgram, type StreamForm, type StreamReader } from '../../domain/job/stream.ts'
import { isFinal } from '../../domain/job/transitions.ts'
import type { Log, NewId } from '../ports/system.ts'

/** Who asks: the same program with the same key is the same client. */
export type StreamClient = {
  readonly endpointId: string
  /** Authorization header as it came; empty without one. */
  readonly authorization: string
  readonly userAgent: string
}

/** What clients of streams did before, as far as it tells which form they need. */
export type StreamClients = {
  /** A client has queued a job. */
  readonly hasRun: (client: StreamClient) => void
  /** The form of a response with so many chunks. It is remembered, for what the client asks next. */
  readonly formFor: (
    client: StreamClient,
    response: { readonly jobId: string; readonly status: JobState; readonly chunks: number },
    reader: Pick<StreamReader, 'asked' | 'ofEndpoint' | 'ofService' | 'announcesJson'>,
  ) => StreamForm
}

// Clients and reads that are remembered, of each kind: a few hundred bytes a piece.
const REMEMBERED = 1000

const HINT =
  'a stream of a running job was read again as an array; a client that waits for .status in it never ends: use ?format=object, or set streamForm of the endpoint to object'

/** Makes the memory. */
export function createStreamClients({
  newId,
  log,
}: {
  readonly newId: Pick<NewId, 'hash'>
  readonly log: Log
}): StreamClients {
  const ran = new Set<string>()
  /** Last array that a client got of a job. */
  const arrays = new Map<string, 'running' | 'ended'>()
  const hinted = new Set<string>()
  // Keys are not stored, but for the one that asked last: most requests come from one client.
  let last = { authorization: '', hash: '' }

  function nameOf({ endpointId, authorization, userAgent }: StreamClient): string {
    if (authorization !== last.authorization)
      last = { authorization, hash: Buffer.from(newId.hash(authorization)).toString('base64') }
    return `${endpointId} ${last.hash} ${userAgent}`
  }

  return {
    hasRun(client) {
      if (!isProgram(client.userAgent)) return
      const name = nameOf(client)
      if (ran.has(name)) return
      ran.add(name)
      keepNewest(ran)
    },
    formFor(client, { jobId, status, chunks }, asked) {
      const name = nameOf(client)
      const read = `${jobId} ${name}`
      const before = arrays.get(read)
      const { userAgent, endpointId } = client
      const reader = { ...asked, userAgent, hasRun: ran.has(name), asksAfterEnd: before === 'ended' }
      const { form, rule } = chooseStreamForm(reader)
      if (rule !== 'specification') return form
      if (before === 'running' && !isFinal(status) && !hinted.has(endpointId)) {
        hinted.add(endpointId)
        keepNewest(hinted)
        log.info(HINT, { endpointId, jobId, userAgent: userAgent.slice(0, 200) })
      }
      arrays.delete(read)
      arrays.set(read, isFinal(status) && chunks === 0 ? 'ended' : 'running')
      keepNewest(arrays)
      return form
    },
  }
}

// Both are in the order in which they were filled.
function keepNewest(remembered: Set<string> | Map<string, unknown>): void {
  const [oldest] = remembered.keys()
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
