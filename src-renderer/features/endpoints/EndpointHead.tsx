import clsx from 'clsx'
import { GitCompareArrows, Pause, Play, Send, Share2, Trash2, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { CodeChange, EndpointCrash } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { crashSummary } from '../../../src-main/features/endpoints/rules/endpoint-state.ts'
import { codeChangeText } from '../../../src-main/features/workers/rules/code-change.ts'
import { splitHint } from '../../../src-main/features/workers/rules/missing-module.ts'
import { workerOf } from '../../../src-main/features/workers/rules/pools.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS, type EndpointTab } from '../../addresses.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { MoreMenu } from '../../ui/Menu.tsx'
import { InstallButton } from '../../ui/output/InstallButton.tsx'
import { useAsCalled } from '../../ui/PageStates.tsx'
import { useNow } from '../../ui/Values.tsx'
import { useDeleteEffects } from './use-delete-effects.ts'
import { useEndpointActions } from './use-endpoint-actions.ts'

type CrashBannerProps = {
  readonly endpoint: LiveEndpoint
  readonly crash: EndpointCrash
  /** False: no worker is needed now, and the crashes are past. */
  readonly isCrashing: boolean
}

export function CrashBanner({ endpoint, crash, isCrashing }: CrashBannerProps) {
  const now = useNow()
  const { tryAgain } = useEndpointActions(endpoint)
  const { id, inQueue } = endpoint
  const worker = workerOf(crash.pool)
  const { cause, hint } = splitHint(useAsCalled()(crash.lastWords))
  return (
    <section
      aria-label="Crashes"
      className={clsx(
        'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-3 py-2',
        isCrashing ? 'bg-failed-soft text-failed-ink' : 'border border-line bg-surface-1',
      )}
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-60 flex-1 break-words">
        {isCrashing ? `Its ${worker}s keep crashing` : `Its last ${worker}${crash.count === 1 ? '' : 's'} crashed`} (
        {crashSummary(crash, now)}): <code className="font-mono">{cause}</code>
        {/[.!?…]$/.test(cause) ? '' : '.'}
        {inQueue > 0 && ` ${counted(inQueue, 'job')} ${inQueue === 1 ? 'waits' : 'wait'}.`}
      </p>
      <Link to={ADDRESS.endpoint(id, 'logs')} className="hover:underline">
        See the log
      </Link>
      <InstallButton error={crash.lastWords} endpointId={id} />
      <Button onClick={() => void tryAgain()}>{isCrashing ? 'Try now' : 'Clear'}</Button>
      {hint !== undefined && <p className="basis-full pl-7 break-words first-letter:uppercase">{hint}.</p>}
    </section>
  )
}

export function CodeChangeNote({ change, endpointId }: { readonly change: CodeChange; readonly endpointId: string }) {
  const now = useNow()
  return (
    <>
      <span className={clsx('min-w-0 break-words', change.state === 'failed' ? 'text-failed-ink' : 'text-ink-2')}>
        {codeChangeText(change, now)}
      </span>
      {change.why !== undefined && <InstallButton error={change.why} endpointId={endpointId} />}
    </>
  )
}

type GraphNoticeProps = Pick<LiveEndpoint, 'id' | 'brokenReason'> & {
  readonly graph: NonNullable<LiveEndpoint['graph']>
}

export function GraphNotice({ id, brokenReason, graph: { behind, version } }: GraphNoticeProps) {
  return (
    <section
      aria-label="Published graph"
      className={clsx(
        'flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control px-3 py-2',
        brokenReason === undefined ? 'border border-line bg-surface-1' : 'bg-failed-soft text-failed-ink',
      )}
    >
      <Share2 aria-hidden className="size-4 shrink-0" />
      <p className="min-w-60 flex-1">
        Published graph, version {version}.{' '}
        {brokenReason === undefined ? (
          <>
            It has no workers of its own; its jobs run on{' '}
            <Link to={ADDRESS.endpoint(behind, 'jobs')} className="text-accent underline">
              {behind}
            </Link>
            .
          </>
        ) : (
          `Broken: ${brokenReason}`
        )}
      </p>
      <TextLink to={ADDRESS.publishedGraph(id)}>Form, code and versions</TextLink>
    </section>
  )
}

export function EndpointMenu({ endpoint, tab }: { readonly endpoint: LiveEndpoint; readonly tab: EndpointTab }) {
  const { id, name, paused, loadBalanced } = endpoint
  const [, go] = useLocation()
  const { pause, resume, remove } = useEndpointActions(endpoint)
  const [asks, setAsks] = useState(false)
  const deletes = async () => (await remove()) && go(ADDRESS.endpoints)
  return (
    <>
      {tab !== 'requests' && (
        <Button kind="main" onClick={() => go(ADDRESS.endpoint(id, 'requests'))}>
          <Send aria-hidden /> Send request
        </Button>
      )}
      <MoreMenu
        label={`More for ${name}`}
        groups={[
          [
            paused
              ? { label: 'Resume', icon: <Play />, onSelect: () => void resume() }
              : {
                  label: 'Pause',
                  detail: 'Jobs are still accepted and wait',
                  icon: <Pause />,
                  onSelect: () => void pause(),
                },
            ...(loadBalanced === undefined
              ? [
                  {
                    label: 'Compare versions',
                    detail: 'Run its last jobs on another version',
                    icon: <GitCompareArrows />,
                    onSelect: () => go(ADDRESS.newComparison(new URLSearchParams({ endpoint: id }).toString())),
                  },
                ]
              : []),
          ],
          [{ label: `Delete endpoint ${name}`, icon: <Trash2 />, danger: true, onSelect: () => setAsks(true) }],
        ]}
      />
      <Confirm open={asks} onOpenChange={setAsks} action={`Delete endpoint ${name}`} onConfirm={() => void deletes()}>
        <DeleteEffects endpointId={id} />
      </Confirm>
    </>
  )
}

// A component of its own, so that nothing is read before the dialog opens.
function DeleteEffects({ endpointId }: { readonly endpointId: string }) {
  return <>{useDeleteEffects(endpointId)}</>
}
