import { Pause, Play } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ResponseOf } from '../../../../src-main/app/client/calls.ts'
import { isFinal } from '../../../../src-main/features/jobs/rules/transitions.ts'
import { writeExact } from '../../../../src-main/lib/json/plain.ts'
import type { JobDetail } from '../../../api-client/jobs.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/PageStates.tsx'
import { Scrolling } from '../../../ui/Scrolling.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'

// Chunks per second: of a reading person, of a writing model, and for skimming to a place.
const SPEEDS = { '5/s': 5, '20/s': 20, '100/s': 100, '1000/s': 1000 } as const
const SPEED_NAMES = Object.keys(SPEEDS) as readonly Speed[]
const TICK_MS = 50

type Speed = keyof typeof SPEEDS

export function StreamTab({ job }: { readonly job: JobDetail }) {
  const { platform } = useApp()
  const { chunks, error } = useChunks(job)
  // Undefined means at the end of the stream, wherever that currently is.
  const [position, setPosition] = useState<number>()
  const [speed, setSpeed] = useState<Speed>('20/s')
  const [plays, setPlays] = useState(false)
  const count = chunks.length
  const at = Math.floor(Math.min(position ?? count, count))

  useEffect(() => {
    if (!plays) return undefined
    return platform.after(TICK_MS, () => {
      const next = (position ?? 0) + (SPEEDS[speed] * TICK_MS) / 1000
      if (next < count) {
        setPosition(next)
        return
      }
      setPosition(undefined)
      setPlays(false)
    })
  }, [platform, plays, position, speed, count])

  if (error !== undefined) return <ErrorNotice error={error} />
  if (count === 0)
    return (
      <EmptyState>
        {isFinal(job.status)
          ? 'This job has no stream. Handlers that yield their output in pieces create one.'
          : 'Nothing has arrived yet. If the handler yields its output in pieces, they appear here.'}
      </EmptyState>
    )
  const toggle = () => {
    if (!plays && position === undefined) setPosition(0)
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
          aria-label="Position in the stream"
          min={0}
          max={count}
          value={at}
          onChange={({ target }) => {
            const wanted = Number(target.value)
            setPosition(wanted === count ? undefined : wanted)
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

// Only the last chunks are shown; more in one element makes the window stutter.
const SHOWN_CHUNKS = 200
const SHOWN_LETTERS = 50_000

/** Joins text chunks into one text; other values take a line each. */
function ChunkList({ chunks, count }: { readonly chunks: readonly Chunk[]; readonly count: number }) {
  const canJoin = useMemo(() => chunks.every(({ output }) => typeof output === 'string'), [chunks])
  const [form, setForm] = useState<'Text' | 'Chunks'>('Text')
  const isText = canJoin && form === 'Text'
  const text = useMemo(() => {
    const come = chunks.slice(0, count)
    if (isText) return come.map(({ output }) => String(output)).join('')
    return come
      .slice(-SHOWN_CHUNKS)
      .map(({ output }) => writeExact(output))
      .join('\n')
  }, [chunks, count, isText])
  const left = isText ? Math.max(0, text.length - SHOWN_LETTERS) : Math.max(0, count - SHOWN_CHUNKS)
  return (
    <div className="relative">
      <div className="absolute top-1 right-2 flex items-center gap-1">
        {canJoin && (
          <SegmentedChoice label="Format of the stream" choices={['Text', 'Chunks']} value={form} onChange={setForm} />
        )}
        <CopyButton text={text} what="stream" />
      </div>
      <Scrolling
        label="Stream"
        className="h-80 overflow-auto p-3 pt-10 font-mono text-small break-words whitespace-pre-wrap"
      >
        {left > 0 && (
          <p className="mb-2 text-ink-2">
            {left.toLocaleString('en')} {isText ? 'letters' : 'pieces'} before this are left out.
          </p>
        )}
        {isText ? text.slice(-SHOWN_LETTERS) : text}
      </Scrolling>
    </div>
  )
}

type Chunk = ResponseOf<'jobChunks'>['chunks'][number]

type Chunks = { readonly chunks: readonly Chunk[]; readonly error: Error | undefined }

const NOTHING: Chunks = { chunks: [], error: undefined }
const AT_ONCE = 5000
const EVERY_MS = 400

/** Read while it runs and once at its end. A new attempt starts a new stream. */
function useChunks({ id, attempt, status }: JobDetail): Chunks {
  const { client, platform } = useApp()
  const [read, setRead] = useState(NOTHING)
  const place = useRef({ stream: '', count: 0 })
  const ended = isFinal(status)
  const stream = `${id} ${attempt}`

  useEffect(() => {
    const stop = new AbortController()
    let cancel: (() => void) | undefined
    // Chunks stay at the end, so that readers keep their place.
    if (place.current.stream !== stream) {
      place.current = { stream, count: 0 }
      setRead(NOTHING)
    }
    const here = place.current

    async function readOn(): Promise<void> {
      try {
        const query = { after: here.count, limit: AT_ONCE }
        const { chunks, more } = await client.call('jobChunks', { path: { jobId: id }, query, signal: stop.signal })
        if (stop.signal.aborted) return
        here.count += chunks.length
        setRead((before) =>
          chunks.length === 0 && before.error === undefined
            ? before
            : { chunks: [...before.chunks, ...chunks], error: undefined },
        )
        if (more) return await readOn()
      } catch (error) {
        if (stop.signal.aborted) return
        setRead((before) => ({ ...before, error: error as Error }))
      }
      if (!ended && !stop.signal.aborted) cancel = platform.after(EVERY_MS, () => void readOn())
    }

    void readOn()
    return () => {
      stop.abort()
      cancel?.()
    }
  }, [client, platform, id, stream, ended])

  return read
}
