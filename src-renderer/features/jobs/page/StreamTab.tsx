import { Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isFinal } from '../../../../src-main/domain/job/transitions.ts'
import type { JobDetail } from '../../../api-client/job-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { ChunkList } from './ChunkList.tsx'
import { useChunks } from './use-chunks.ts'

// Chunks a second: that of a person who reads, of a model that writes, and of one who looks for a place.
const SPEEDS = { '5/s': 5, '20/s': 20, '100/s': 100, '1000/s': 1000 } as const
const SPEED_NAMES = Object.keys(SPEEDS) as readonly Speed[]
const TICK_MS = 50

type Speed = keyof typeof SPEEDS

/** The stream of a job: as it comes while it runs, and afterwards replayed from any place at any speed. */
export function StreamTab({ job }: { readonly job: JobDetail }) {
  const { platform } = useApp()
  const { chunks, error } = useChunks(job)
  // Undefined: at the end, wherever that is.
  const [place, setPlace] = useState<number>()
  const [speed, setSpeed] = useState<Speed>('20/s')
  const [plays, setPlays] = useState(false)
  const count = chunks.length
  const at = Math.floor(Math.min(place ?? count, count))

  useEffect(() => {
    if (!plays) return undefined
    return platform.after(TICK_MS, () => {
      const next = (place ?? 0) + (SPEEDS[speed] * TICK_MS) / 1000
      if (next < count) {
        setPlace(next)
        return
      }
      setPlace(undefined)
      setPlays(false)
    })
  }, [platform, plays, place, speed, count])

  if (error !== undefined) return <ErrorNotice error={error} />
  if (count === 0)
    return (
      <EmptyState>
        {isFinal(job.status)
          ? 'This job gave no stream. A handler that yields its output in pieces does.'
          : 'Nothing has come yet. A handler that yields its output in pieces is followed here.'}
      </EmptyState>
    )
  const toggle = () => {
    if (!plays && place === undefined) setPlace(0)
    setPlays(!plays)
  }
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-2">
        <Button onClick={toggle}>
          {plays ? <Pause aria-hidden /> : <Play aria-hidden />} {plays ? 'Pause' : 'Replay'}
        </Button>
        <input
          type="range"
          aria-label="Place in the stream"
          min={0}
          max={count}
          value={at}
          onChange={({ target }) => {
            const wanted = Number(target.value)
            setPlace(wanted === count ? undefined : wanted)
          }}
          className="min-w-32 flex-1 accent-accent"
        />
        <span className="w-32 text-right text-ink-2">
          {at.toLocaleString('en')} of {count.toLocaleString('en')}
        </span>
        <SegmentedChoice label="Speed of the replay" choices={SPEED_NAMES} value={speed} onChange={setSpeed} />
      </div>
      <ChunkList chunks={chunks} count={at} />
    </Card>
  )
}
