import type { JobState } from '../../../contract/job.ts'
import type { Log, NewId } from '../../../lib/clock.ts'
import { chooseStreamForm, isProgram, type StreamForm, type StreamReader } from '../rules/stream.ts'
import { isFinal } from '../rules/transitions.ts'

export type StreamClient = {
  readonly endpointId: string
  readonly authorization: string
  readonly userAgent: string
}

export type StreamClients = ReturnType<typeof createStreamClients>

// Remembered clients and reads each, a few hundred bytes per entry.
const REMEMBERED = 1000

const HINT =
  'a stream of a running job was read again as an array; a client that waits for .status in it never ends: use ?format=object, or set streamForm of the endpoint to object'

export function createStreamClients({ newId, log }: { readonly newId: Pick<NewId, 'hash'>; readonly log: Log }) {
  const ran = new Set<string>()
  const arrays = new Map<string, 'running' | 'ended'>()
  const hinted = new Set<string>()
  // Only the last key is stored unhashed, because most requests come from one client.
  let last = { authorization: '', hash: '' }

  function nameOf({ endpointId, authorization, userAgent }: StreamClient): string {
    if (authorization !== last.authorization)
      last = { authorization, hash: Buffer.from(newId.hash(authorization)).toString('base64') }
    return `${endpointId} ${last.hash} ${userAgent}`
  }

  return {
    hasRun(client: StreamClient) {
      if (!isProgram(client.userAgent)) return
      const name = nameOf(client)
      if (ran.has(name)) return
      ran.add(name)
      keepNewest(ran)
    },
    formFor(
      client: StreamClient,
      { jobId, status, chunks }: { readonly jobId: string; readonly status: JobState; readonly chunks: number },
      asked: Pick<StreamReader, 'asked' | 'ofEndpoint' | 'ofService' | 'announcesJson'>,
    ): StreamForm {
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

function keepNewest(remembered: Set<string> | Map<string, unknown>): void {
  const [oldest] = remembered.keys()
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
