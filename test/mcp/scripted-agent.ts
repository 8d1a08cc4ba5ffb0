/**
 * An agent without a model: it always does the same. It asks in a fixed order, and knows a cause by the words in which
 * the service says it. Whatever it finds, any agent finds that reads.
 */
import type { Agent } from './support-agent.ts'

export type Cause =
  | 'crash at import'
  | 'out of memory'
  | 'wrong model name'
  | 'missing class'
  | 'slow cold start'
  | 'full queue'
  | 'webhook refused'
  | 'ttl too short'
  | 'wrong key'
  | 'disk nearly full'

// In the order in which they are believed: what stops all work comes before what makes it slow.
const SIGNS: readonly (readonly [Cause, RegExp])[] = [
  ['wrong key', /\(UNAUTHORIZED\)/],
  ['disk nearly full', /free space \((?:warning|failed)\): [^"]*/],
  ['wrong model name', /loads the model [^"]*/],
  ['missing class', /The class \S+ is not known here[^"]*/],
  ['out of memory', /out of memory[^"]*/i],
  ['crash at import', /(?:ModuleNotFoundError|ImportError)[^"]*/],
  ['ttl too short', /its ttl of \d+ ms passed[^"]*/],
  ['webhook refused', /webhook was not delivered[^"]*/],
  ['slow cold start', /(?:were the cold start of its worker|workers? (?:is|are) starting)[^"]*/],
  [
    'full queue',
    /(?:The queue is full|, with (?:no|\d+) jobs? ahead of it\. (?:The only worker is|All \d+ workers are) busy)[^"]*/,
  ],
]

export type Complaint =
  | { readonly jobId: string }
  | { readonly endpointId: string }
  | { readonly graph: string; readonly endpointId: string }

export type Finding = {
  /** Undefined: it found nothing. */
  readonly cause: Cause | undefined
  /** The words of the service that say so. */
  readonly evidence: string
  /** The tools that it called, in order. */
  readonly calls: readonly string[]
}

/** Looks for the cause, with at most five calls. */
export async function findCause(agent: Agent, complaint: Complaint): Promise<Finding> {
  const calls: string[] = []
  let endpointId = 'endpointId' in complaint ? complaint.endpointId : undefined
  const look = async (tool: string, input: Readonly<Record<string, unknown>>): Promise<Finding | undefined> => {
    calls.push(tool)
    const { text, data } = await agent.call(tool, input)
    endpointId ??= data?.endpoint
    for (const [cause, sign] of SIGNS) {
      const evidence = sign.exec(text)?.[0]
      if (evidence !== undefined) return { cause, evidence, calls }
    }
    return undefined
  }
  return (
    ('graph' in complaint
      ? await look('workflow_validate', { text: complaint.graph, endpointId: complaint.endpointId })
      : undefined) ??
    ('jobId' in complaint ? await look('job_read', { jobId: complaint.jobId }) : undefined) ??
    (endpointId === undefined ? undefined : await look('why_waiting', { endpointId })) ??
    (endpointId === undefined ? undefined : await look('log_read', { endpointId })) ??
    (await look('service_status', {})) ?? { cause: undefined, evidence: '', calls }
  )
}
