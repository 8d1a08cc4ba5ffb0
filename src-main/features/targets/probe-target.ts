import type { ProbeAnswer } from '../../contract/targets.ts'
import type { ReadsJobs } from '../jobs/ports/readers.ts'
import type { SendToTarget } from './ports.ts'
import { observe, PROBE_CALLS, type ProbeCall, probeHeaders } from './rules/probe.ts'
import type { TargetAccess } from './target-client.ts'

type Sends = ReadsJobs & { readonly send: SendToTarget }

/** Sends the calls one after the other, each once, so that a probe costs a target little. */
export async function probeTarget(deps: Sends, access: TargetAccess, signal: AbortSignal): Promise<ProbeAnswer[]> {
  const answers: ProbeAnswer[] = []
  for (const call of PROBE_CALLS) answers.push(await ask(deps, access, call, signal))
  return answers
}

async function ask(
  { send, readInThread }: Sends,
  { url, key }: TargetAccess,
  call: ProbeCall,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const { method, path, body } = call
  const sent = { url: url + path, method, headers: probeHeaders(call, key), trustedHost: new URL(url).host, signal }
  try {
    const { status, contentType, text } = await send({ ...sent, ...(body === undefined ? {} : { body }) })
    // Too many requests, or a fault of the moment.
    if (status === 429 || (status >= 500 && status !== 501))
      return { failure: `HTTP ${status}`, status, contentType, fields: {} }
    const read = text === '' ? { problem: '' } : await readInThread.value(text)
    return observe(status, contentType, 'problem' in read ? undefined : read.value)
  } catch (error) {
    signal.throwIfAborted()
    return { failure: (error as Error).message, status: 0, contentType: '', fields: {} }
  }
}
