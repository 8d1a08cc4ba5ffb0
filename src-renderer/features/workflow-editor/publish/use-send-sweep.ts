import { useMutation } from '@tanstack/react-query'
import { parseJson } from '../../../../src-main/features/workflows/rules/json/parse.ts'
import { isObject, writeJson } from '../../../../src-main/features/workflows/rules/json/value.ts'
import {
  type SweepAxis,
  type SweepKind,
  sweepRuns,
} from '../../../../src-main/features/workflows/rules/publish/sweep.ts'
import type { ApiClient } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'
import { prepareRuns } from '../run/prepare-runs.ts'
import { useTab } from '../store/editor-store.ts'
import { randomBetween } from '../widgets/exact-number.ts'

export function useSendSweep(name: string, onQueued: (count: number) => void) {
  const { client, platform, store } = useApp()
  const { editor, runs, workflowId } = useTab()
  return useMutation({
    async mutationFn(wish: Pick<Parameters<typeof sendSweep>[0], 'axes' | 'kind'>) {
      const { document, types } = editor.getState()
      const { endpointId = '' } = runs.getState()
      const { live, indexedPackages: indexed } = store.getState()
      const endpoint = live.endpoints[endpointId]
      const graph = { document, types, endpoint, indexed, only: undefined, now: platform.now() }
      const prepared = prepareRuns({ ...graph, count: 1, random: randomBetween, seedMode: 'after', isFirst: true })
      if (prepared.kind === 'refused') {
        const { message, problems } = prepared.refusal
        throw new Error([message, ...problems.slice(0, 3).map((problem) => problem.message)].join(' '))
      }
      const [first] = prepared.runs
      if (first === undefined) throw new Error('There is nothing to run.')
      const sweepId = randomBetween(0n, 36n ** 12n - 1n)
        .toString(36)
        .padStart(12, '0')
      await sendSweep({ ...wish, client, sweepId, endpointId, workflowId, title: name, base: first.write(), onQueued })
      return sweepId
    },
  })
}

type SweepOrder = {
  readonly client: Pick<ApiClient, 'call'>
  readonly sweepId: string
  readonly endpointId: string
  readonly workflowId: string
  readonly title: string
  readonly base: { readonly payload: string; readonly document: string }
  readonly axes: readonly SweepAxis[]
  readonly kind: SweepKind
  readonly onQueued: (count: number) => void
}

/**
 * Queues a sweep's runs sequentially.
 * @throws ApiError at the first refusal, as it would apply to the others too
 */
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
