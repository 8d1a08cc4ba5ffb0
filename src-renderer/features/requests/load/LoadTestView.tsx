import { useQueryClient } from '@tanstack/react-query'
import { Square } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type LoadTest, loadTest } from '../../../../src-main/contract/requests.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { duration } from '../../../ui/format.ts'
import { Said } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { ProgressBar } from '../../../ui/Values.tsx'
import { SpansHistogram } from './SpansHistogram.tsx'
import { planText, STATS } from './stats.ts'

export type LoadTestViewProps = {
  readonly test: LoadTest
  readonly waitingReason: string | undefined
}

export function LoadTestView({ test: listed, waitingReason }: LoadTestViewProps) {
  const test = useFollowedTest(listed)
  const { state, reason, plan, result } = test
  const isRunning = state === 'running'
  return (
    <Card
      title={planText(test)}
      aside={isRunning ? <StopButton test={test} /> : <LoadTestState test={test} />}
      className="min-w-0"
    >
      <div className="flex flex-col gap-1 px-3 pt-3">
        <ProgressBar value={result.done} max={plan.requests} label="Requests that have ended" />
        <p className="text-small text-ink-2">
          {result.done.toLocaleString('en')} of {counted(plan.requests, 'request')} in {duration(result.elapsedMs)}
          {reason !== undefined && ` · ${reason}`}
        </p>
        {isRunning && result.done === 0 && waitingReason !== undefined && (
          <p className="text-ink-2">
            Waiting: <Said text={waitingReason} />
          </p>
        )}
      </div>
      <Stats test={test} />
      <SpansHistogram shown={[{ name: 'All', result }]} />
      <Statuses test={test} />
      <Errors test={test} />
    </Card>
  )
}

export function LoadTestState({ test: { state } }: { readonly test: LoadTest }) {
  if (state === 'running') return <StateDot tone="running" text="Running" pulses />
  return state === 'completed' ? (
    <StateDot tone="completed" text="Completed" />
  ) : (
    <StateDot tone="cancelled" text="Stopped" />
  )
}

function StopButton({ test: { endpointId, id } }: { readonly test: LoadTest }) {
  const { client } = useApp()
  const { attempt } = useTell()
  const [stops, setStops] = useState(false)
  const stop = async () => {
    setStops(true)
    const call = () => client.call('loadTestStop', { path: { endpointId, loadTestId: id } })
    await attempt(call, undefined, () => setStops(false))
  }
  return (
    <Button onClick={() => void stop()} disabled={stops}>
      <Square aria-hidden /> {stops ? 'Stopping' : 'Stop'}
    </Button>
  )
}

function Stats({ test }: { readonly test: LoadTest }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-x-4 gap-y-2 p-3">
      {STATS.map(({ name, of, write }) => {
        const value = of(test)
        return (
          <div key={name}>
            <dt className="text-small text-ink-2">{name}</dt>
            <dd className="text-section">{value === undefined ? '–' : write(value)}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function Statuses({ test }: { readonly test: LoadTest }) {
  const entries = Object.entries(test.result.statuses)
  if (entries.length === 0) return null
  return (
    <ul aria-label="Responses by status" className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-3 py-2">
      {entries.map(([status, count]) => (
        <li key={status}>
          <StateDot
            tone={status.startsWith('2') ? 'completed' : status.startsWith('4') ? 'timed-out' : 'failed'}
            text={status === 'none' ? 'No response' : `Status ${status}`}
            detail={counted(count, 'request')}
          />
        </li>
      ))}
    </ul>
  )
}

function Errors({ test }: { readonly test: LoadTest }) {
  const { errors } = test.result
  if (errors.length === 0) return null
  return (
    <section aria-label="Errors" className="border-t border-line p-3">
      <h3 className="mb-1 font-medium">Errors</h3>
      <ul className="flex flex-col gap-1">
        {errors.map(({ text, count }) => (
          <li key={text} className="flex gap-3 rounded-control bg-failed-soft px-2 py-1 text-failed-ink">
            <span className="shrink-0">{count.toLocaleString('en')} ×</span>
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function useFollowedTest(listed: LoadTest): LoadTest {
  const { client } = useApp()
  const queries = useQueryClient()
  const [newest, setNewest] = useState<LoadTest>()
  const { id, endpointId, state } = listed
  useEffect(() => {
    if (state !== 'running') return
    return client.follow<LoadTest>({
      operation: 'loadTestRead',
      path: { endpointId, loadTestId: id },
      event: 'load-test',
      schema: loadTest,
      onItems(items) {
        const last = items.at(-1)
        setNewest(last)
        if (last?.state !== 'running') void queries.invalidateQueries({ queryKey: ['load-tests', endpointId] })
      },
      isLast: (test) => test.state !== 'running',
    })
  }, [client, queries, id, endpointId, state])
  return state === 'running' && newest?.id === id ? newest : listed
}
