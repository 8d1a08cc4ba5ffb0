import { useMutation, useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { WhatIfAnswer } from '../../../../src-main/contract/what-if.ts'
import { writeExact } from '../../../../src-main/lib/json/plain.ts'
import { read } from '../../../browser/read.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, type FieldProps, Labelled } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { EmptyState, ErrorNotice } from '../../../ui/PageStates.tsx'
import { WhatIfResult } from './WhatIfResult.tsx'
import { EMPTY_FORM, type FormProblem, isOfLoad, LOADS, toQuestion, type WhatIfForm } from './what-if-form.ts'

export type WhatIfTabProps = { readonly endpoint: LiveEndpoint }

export function WhatIfTab({ endpoint }: WhatIfTabProps) {
  if (endpoint.loadBalanced !== undefined)
    return (
      <EmptyState icon={<FlaskConical />}>
        A load-balanced endpoint takes no jobs, and only jobs are simulated.
      </EmptyState>
    )
  return <Question endpoint={endpoint} />
}

type TextField = Exclude<keyof WhatIfForm, 'load' | 'trace' | 'card'>

const TEXT_FIELDS: readonly {
  readonly name: TextField
  readonly label: string
  readonly labels?: Partial<Record<WhatIfForm['load'], string>>
}[] = [
  { name: 'low', label: 'Jobs per second at night' },
  { name: 'rate', label: 'Jobs per second', labels: { day: 'Jobs per second at noon' } },
  { name: 'jobs', label: 'Jobs per burst' },
  { name: 'every', label: 'Seconds between bursts' },
  { name: 'hours', label: 'Duration, hours', labels: { recorded: 'Last N hours' } },
]

const MOST_WORKERS = { name: 'workersMax', label: 'Maximum workers to try', hint: 'like 2, 4, 8' } as const

/** The other settings that are varied, the same as in `drydock what-if`. */
const VARIED = [
  { name: 'workersMin', label: 'Minimum workers to try', hint: 'like 0, 1' },
  { name: 'idle', label: 'Idle timeouts to try, seconds', hint: 'like 5, 30' },
  { name: 'concurrency', label: 'Jobs at once to try', hint: 'like 1, 4' },
  { name: 'scaler', label: 'Scaling to try', hint: 'like 4s, 3/worker' },
  { name: 'cards', label: 'GPUs to try', hint: 'names from the price list' },
] as const

const MEASURES = [
  { name: 'coldStart', label: 'Cold start, seconds', hint: 'overrides the measured time' },
  { name: 'execution', label: 'Execution, seconds', hint: 'overrides the measured time' },
  { name: 'price', label: 'Price per second', hint: 'overrides the list price' },
] as const

const FOLDED: ReadonlySet<keyof WhatIfForm> = new Set([...MEASURES, ...VARIED].map(({ name }) => name))

function Question({ endpoint }: WhatIfTabProps) {
  const { client, platform } = useApp()
  const [form, setForm] = useState<WhatIfForm>(EMPTY_FORM)
  const [problem, setProblem] = useState<FormProblem>()
  const [isUnfolded, setUnfolded] = useState(false)
  const { data: prices } = useQuery(read(client, ['prices'], 'priceTableRead'))
  const asked = useMutation({
    mutationFn: (body: object): Promise<WhatIfAnswer> =>
      client.call('whatIf', { path: { endpointId: endpoint.id }, bodyText: writeExact(body) }),
    // Unfolds all, because the field that the service misses may be folded.
    onError: () => setUnfolded(true),
  })
  const change = (fields: Partial<WhatIfForm>) => {
    setProblem(undefined)
    setForm((before) => ({ ...before, ...fields }))
  }
  const problemOf = (field: keyof WhatIfForm) => (problem?.field === field ? problem.why : undefined)
  const text = ({
    name,
    ...field
  }: { readonly name: TextField } & Pick<FieldProps, 'label' | 'hint' | 'inputMode'>) => (
    <Field
      key={name}
      {...field}
      value={form[name]}
      problem={problemOf(name)}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  )

  function ask(): void {
    const question = toQuestion(form, prices, platform.now())
    if ('body' in question) asked.mutate(question.body)
    else {
      setProblem(question.problem)
      if (FOLDED.has(question.problem.field)) setUnfolded(true)
    }
  }

  return (
    <>
      <Card title="What would other settings have done?">
        <Form onSubmit={ask} className="grid grid-cols-2 items-start gap-x-4 gap-y-3 p-3 lg:grid-cols-4">
          <Labelled label="Load" hint="the jobs to simulate">
            {(ids) => (
              <Select
                {...ids}
                value={form.load}
                choices={Object.entries(LOADS).map(([value, label]) => ({ value, label }))}
                onChange={(load) => change({ load: load as WhatIfForm['load'] })}
              />
            )}
          </Labelled>
          {TEXT_FIELDS.filter(({ name }) => isOfLoad(name, form.load)).map(({ name, label, labels }) =>
            text({ name, label: labels?.[form.load] ?? label, inputMode: 'decimal' }),
          )}
          {form.load === 'trace' && (
            <Field
              label="File"
              type="file"
              accept=".jsonl,.ndjson,.json,.txt"
              hint='lines like {"at": 0, "executionMs": 900}'
              problem={problemOf('trace')}
              onChange={({ target }) => {
                const [file] = target.files ?? []
                file?.text().then(
                  (trace) => change({ trace }),
                  () => change({ trace: undefined }),
                )
              }}
            />
          )}
          {text(MOST_WORKERS)}
          <details
            open={isUnfolded}
            onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
            className="col-span-full"
          >
            <summary className="cursor-pointer text-ink-2">More settings</summary>
            <div className="grid grid-cols-2 items-start gap-x-4 gap-y-3 pt-3 lg:grid-cols-4">
              {MEASURES.map((field) => text({ ...field, inputMode: 'decimal' }))}
              <Labelled
                label="GPU"
                hint={prices === undefined ? 'list prices' : `list prices of ${prices.asOf}, ${prices.currency}`}
              >
                {(ids) => (
                  <Select
                    {...ids}
                    none="No price"
                    value={form.card}
                    choices={
                      prices?.prices.map(({ card, perSecond }) => ({ value: card, label: `${card}: ${perSecond}` })) ??
                      []
                    }
                    onChange={(card) => change({ card })}
                  />
                )}
              </Labelled>
              {VARIED.map(text)}
            </div>
          </details>
          <div className="col-span-full flex items-center gap-3">
            <Button kind="main" type="submit" disabled={asked.isPending}>
              Simulate
            </Button>
            <p role="status" className="text-ink-2">
              {asked.isPending ? 'Simulating the current setting and others …' : ''}
            </p>
          </div>
        </Form>
      </Card>
      {asked.error !== null && <ErrorNotice error={asked.error} />}
      {asked.data !== undefined && <WhatIfResult endpoint={endpoint} answer={asked.data} />}
    </>
  )
}
