import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Hourglass, Moon } from 'lucide-react'
import { Link } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { type EndpointHealth, endpointHealth } from '../../../../src-main/domain/endpoint-health.ts'
import { errorLine } from '../../../../src-main/domain/job/read-error.ts'
import { ADDRESS } from '../../../addresses.ts'
import { figuresQuery, metricsQuery, type Range } from '../../../api-client/queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { stateNow } from '../endpoint-state.ts'
import { useEndpointActions } from '../use-endpoint-actions.ts'

/** An endpoint and the range that its figures are of; undefined: they are not known yet, or it has none. */
export type HealthNoticeProps = { readonly endpoint: LiveEndpoint; readonly range: Range | undefined }

const LOOKS = {
  good: { Icon: CircleCheck, icon: 'text-completed', box: 'border border-line bg-surface-1' },
  resting: { Icon: Moon, icon: 'text-ink-2', box: 'border border-line bg-surface-1' },
  warning: { Icon: Hourglass, icon: '', box: 'bg-warn-soft text-warn-ink' },
  bad: { Icon: CircleX, icon: '', box: 'bg-failed-soft text-failed-ink' },
} as const satisfies Record<EndpointHealth['level'], unknown>

/** Whether an endpoint is healthy, in one sentence with its reason, and the next step. */
export function HealthNotice({ endpoint, range }: HealthNoticeProps) {
  const { client, platform } = useApp()
  const { resume } = useEndpointActions(endpoint)
  const workers = useAppState(
    useShallow(({ live }) => Object.values(live.workers).filter(({ endpointId }) => endpointId === endpoint.id)),
  )
  const { data } = useQuery({
    ...metricsQuery(client, endpoint.id, range ?? '1 h', platform.now),
    enabled: range !== undefined,
  })
  const { data: figures } = useQuery(figuresQuery(client))
  const error = figures?.endpoints.find(({ endpointId }) => endpointId === endpoint.id)?.lastError
  const recent = error !== undefined && data !== undefined && error.at >= data.from ? error : undefined
  const health = endpointHealth({
    state: stateNow(endpoint, workers),
    inQueue: endpoint.inQueue,
    inProgress: endpoint.inProgress,
    waitingReason: endpoint.waitingReason,
    throttledReason: endpoint.throttledReason,
    loadBalanced: endpoint.loadBalanced !== undefined,
    figures: data && range && { totals: data.totals, points: data.points, range },
    lastError: recent && errorLine(recent.error),
  })
  if (health === undefined) return null
  const { Icon, icon, box } = LOOKS[health.level]
  const failedJob = (data?.totals.failed ?? 0) > 0 && !endpoint.paused ? recent?.jobId : undefined
  return (
    <div role="status" aria-label="Health" className={`flex items-center gap-2 rounded-control px-3 py-2 ${box}`}>
      <Icon aria-hidden className={`size-4 shrink-0 ${icon}`} />
      <p className="line-clamp-3 min-w-0 flex-1 break-words">
        <span className="font-medium">{health.word}.</span> {health.reason}
      </p>
      {failedJob !== undefined && (
        <Link to={ADDRESS.job(failedJob)} className="shrink-0 underline">
          Open the newest failure
        </Link>
      )}
      {endpoint.paused && <Button onClick={() => void resume()}>Resume</Button>}
    </div>
  )
}
