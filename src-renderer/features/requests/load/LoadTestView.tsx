import { Square } from 'lucide-react'
import { useState } from 'react'
import type { LoadTest } from '../../../../src-main/contract/load-tests.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { counted, duration } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { FIGURES, planText } from './figures.ts'
import { SpansHistogram } from './SpansHistogram.tsx'
import { useFollowedTest } from './use-followed-test.ts'

/** One load test. */
export type LoadTestViewProps = {
  readonly test: LoadTest
  /** Why jobs of its endpoint wait now, if they do. */
  readonly waitingReason: string | undefined
}

/** A load test, while it runs and afterwards. */
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
        <progress
          value={result.done}
          max={plan.requests}
          aria-label="Requests that have ended"
          className="h-1.5 w-full overflow-hidden rounded-full bg-surface-2 [&::-webkit-progress-bar]:bg-surface-2 [&::-webkit-progress-value]:bg-accent"
        />
        <p className="text-small text-ink-2">
          {result.done.toLocaleString('en')} of {counted(plan.requests, 'request')} in {duration(result.elapsedMs)}
          {reason !== undefined && ` · ${reason}`}
        </p>
        {isRunning && result.done === 0 && waitingReason !== undefined && (
          <p className="text-ink-2">Waiting: {waitingReason}</p>
        )}
      </div>
      <Figures test={test} />
      <SpansHistogram shown={[{ name: 'All', result }]} />
      <Statuses test={test} />
      <Errors test={test} />
    </Card>
  )
}

/** The state of a load test. */
export function LoadTestState({ test: { state } }: { readonly test: LoadTest }) {
  if (state === 'running') return <StateDot tone="running" word="Running" pulses />
  return state === 'completed' ? (
    <StateDot tone="completed" word="Completed" />
  ) : (
    <StateDot tone="cancelled" word="Stopped" />
  )
}

function StopButton({ test: { endpointId, id } }: { readonly test: LoadTest }) {
  const { client, store } = useApp()
  const [stops, setStops] = useState(false)
  const stop = async () => {
    setStops(true)
    try {
      await client.call('loadTestStop', { path: { endpointId, loadTestId: id } })
    } catch (error) {
      setStops(false)
      store.getState().tell({ kind: 'error', text: (error as Error).message })
    }
  }
  return (
    <Button onClick={() => void stop()} disabled={stops}>
      <Square aria-hidden /> {stops ? 'Stopping' : 'Stop'}
    </Button>
  )
}

function Figures({ test }: { readonly test: LoadTest }) {
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(110px,1fr))] gap-x-4 gap-y-2 p-3">
      {FIGURES.map(({ name, of, write }) => {
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
    <ul aria-label="Answers by status" className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-3 py-2">
      {entries.map(([status, count]) => (
        <li key={status}>
          <StateDot
            tone={status.startsWith('2') ? 'completed' : status.startsWith('4') ? 'timed-out' : 'failed'}
            word={status === 'none' ? 'No answer' : `Status ${status}`}
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
