import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { isObject } from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import { type SweepAxis, type SweepKind, sweepRuns } from '../../../../src-main/domain/workflow/publish/sweep.ts'
import type { ApiClient } from '../../../api-client/client.ts'

/** A sweep over the values of a payload. */
export type SweepOrder = {
  readonly client: Pick<ApiClient, 'call'>
  readonly sweepId: string
  readonly endpointId: string
  readonly workflowId: string
  readonly title: string
  /** Texts of the run that all others are made of. */
  readonly base: { readonly payload: string; readonly document: string }
  readonly axes: readonly SweepAxis[]
  readonly kind: SweepKind
  /** Hears how many have been queued. */
  readonly onQueued: (count: number) => void
}

/** Queues the runs of a sweep one after the other. @throws ApiError what keeps one from being queued keeps the others too */
export async function sendSweep({ client, base, axes, kind, onQueued, ...order }: SweepOrder): Promise<void> {
  const parsed = parseJson(base.payload)
  if (parsed.kind === 'fault' || !isObject(parsed.value)) throw new Error('The payload cannot be read.')
  let queued = 0
  for (const { payload, label, cell } of sweepRuns(parsed.value, axes, kind)) {
    const body = { ...order, cell, label: label.slice(0, 500), payload: writeJson(payload), document: base.document }
    await client.call('runCreate', { body })
    queued++
    onQueued(queued)
  }
}
