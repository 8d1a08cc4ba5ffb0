import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import { limit } from '../../../../src-main/contract/limits.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { ScheduleTiming, ScheduleView, WHEN_MISSED } from '../../../../src-main/contract/schedules.ts'
import { timesAfter, timingProblem } from '../../../../src-main/features/schedules/rules.ts'
import { parseExact, writeExact } from '../../../../src-main/lib/json/plain.ts'
import { exactSpan, readSpan } from '../../../../src-main/lib/text.ts'
import { MINUTE_MS } from '../../../../src-main/lib/units.ts'
import { useApp } from '../../../store/app-context.ts'
import { Card } from '../../../ui/Card.tsx'
import { CodeEditor } from '../../../ui/editor/LazyEditors.tsx'
import { Field, Labelled } from '../../../ui/form/Field.tsx'
import { Form, Submit } from '../../../ui/form/Form.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { exactTime } from '../../../ui/format.ts'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { useNow } from '../../../ui/Values.tsx'
import { useDraft } from '../draft.ts'
import { readBody, useJobDraft } from '../jobs/job-draft.ts'

export type ScheduleFormProps = { readonly endpoint: LiveEndpoint; readonly onAdded: (schedule: ScheduleView) => void }

const LEAST_MS = limit('scheduleEveryMinMs')
const KINDS = ['Pattern', 'Interval'] as const

type Draft = {
  readonly name: string
  readonly kind: (typeof KINDS)[number]
  readonly cron: string
  readonly timeZone: string
  readonly every: string
  readonly missed: (typeof WHEN_MISSED)[number]
}

const INITIAL: Draft = {
  ...{ name: '', kind: 'Pattern', cron: '0 3 * * *', every: '15min', missed: 'skip' },
  // The author's time zone, which may differ from the service's.
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
}
const MISSED = [
  { value: 'skip', label: 'Skip them' },
  { value: 'run', label: 'Run one job for all of them' },
]

export function ScheduleForm({ endpoint, onAdded }: ScheduleFormProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const [draft, change] = useDraft<Draft>('schedule', endpoint.id, INITIAL)
  const { text = '', change: changeJob } = useJobDraft(endpoint.id)
  const body = readBody(text)
  const now = useNow(MINUTE_MS)
  const timing = timingOf(draft)
  const problem = timing && timingProblem(timing, now)
  const isFit = timing !== undefined && problem === undefined
  const add = useMutation({
    mutationFn: () =>
      client.call('scheduleCreate', {
        path: { endpointId: endpoint.id },
        bodyText: writeExact({ name: draft.name, ...timing, missed: draft.missed, request: parseExact(text) }),
      }),
    async onSuccess(schedule) {
      change({ name: '' })
      await queries.invalidateQueries({ queryKey: ['schedules', endpoint.id] })
      onAdded(schedule)
    },
  })
  return (
    <Card title="New schedule">
      <Form onSubmit={() => add.mutate()} className="flex flex-col gap-3 p-3">
        <Field
          label="Name"
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
          placeholder="Nightly"
          maxLength={100}
          required
        />
        <SegmentedChoice label="When" choices={KINDS} value={draft.kind} onChange={(kind) => change({ kind })} />
        {draft.kind === 'Interval' ? (
          <Field
            label="Every"
            value={draft.every}
            onChange={({ target }) => change({ every: target.value })}
            hint="Like 30s, 15min, 2h or 1d; a number alone is in seconds."
            problem={
              timing === undefined ? `Enter a duration of at least ${exactSpan(LEAST_MS)}, like 15min.` : undefined
            }
          />
        ) : (
          <div className="grid gap-3 sm:grid-cols-2">
            <Field
              label="Cron pattern"
              value={draft.cron}
              onChange={({ target }) => change({ cron: target.value })}
              hint="Minute, hour, day, month, weekday; or @hourly, @daily."
              problem={problem?.field === 'cron' ? `It ${problem.why}.` : undefined}
            />
            <Field
              label="Time zone"
              value={draft.timeZone}
              onChange={({ target }) => change({ timeZone: target.value })}
              hint="Default: the service’s time zone."
              problem={problem?.field === 'timeZone' ? `It ${problem.why}.` : undefined}
            />
          </div>
        )}
        <NextTimes
          upcoming={isFit ? timesAfter({ ...timing, createdAt: now }, now, limit('scheduleTimesShown')) : []}
        />
        <Labelled label="Missed runs" hint="Runs due while the service was down, e.g. while the computer slept.">
          {(ids) => (
            <Select
              {...ids}
              choices={MISSED}
              value={draft.missed}
              onChange={(missed) => change({ missed: missed as Draft['missed'] })}
            />
          )}
        </Labelled>
        <div className="flex h-36 flex-col">
          <CodeEditor label="Body of each request" value={text} onChange={(body) => changeJob({ body })} />
        </div>
        <p role="status" className="min-h-4 text-small text-failed-ink">
          {body.ok ? undefined : body.problem}
        </p>
        <Submit error={add.error} disabled={!body.ok || !isFit || add.isPending} className="self-start">
          <CalendarClock aria-hidden /> Add schedule
        </Submit>
      </Form>
    </Card>
  )
}

/** Shows the next times, so that a wrong pattern is noticed. */
export function NextTimes({ upcoming = [] }: { readonly upcoming?: readonly number[] | undefined }) {
  if (upcoming.length === 0) return null
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-small text-ink-2">Next runs (local time)</h3>
      <ol aria-label="Next runs" className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums">
        {upcoming.map((time) => (
          <li key={time}>{exactTime(time).slice(0, -'.000'.length)}</li>
        ))}
      </ol>
    </div>
  )
}

function timingOf({ kind, cron, timeZone, every }: Draft): ScheduleTiming | undefined {
  if (kind === 'Pattern') return { cron, ...(timeZone.trim() === '' ? {} : { timeZone: timeZone.trim() }) }
  const everyMs = readSpan(every, 's')
  return everyMs !== undefined && everyMs >= LEAST_MS ? { everyMs } : undefined
}
