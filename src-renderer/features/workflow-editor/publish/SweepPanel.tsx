import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { isSameInput } from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import {
  type AxisDraft,
  readAxis,
  type SweepAxis,
  type SweepKind,
  sweepCount,
  sweepRuns,
} from '../../../../src-main/features/workflows/rules/publish/sweep.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isObject, writeJson } from '../../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Caller } from '../../../api-client/client.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { CONTROL, Labelled } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { MissingClasses } from '../problems/ProblemsPanel.tsx'
import { EndpointChooser } from '../run/EndpointChooser.tsx'
import { prepareRuns } from '../run/prepare-runs.ts'
import { useRuns, useTab } from '../store/editor-store.ts'
import { randomBetween } from '../widgets/exact-number.ts'
import { type Exposable, useExposable } from './use-form.ts'

// More make a sheet that nobody reads, and a queue that nobody waits for.
const MOST_RUNS_OF_SWEEP = 500
const MOST_AXES = 3
const KINDS = ['All combinations', 'Pair by pair'] as const

export function SweepPanel({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [drafts, setDrafts] = useState<readonly AxisDraft[]>([])
  const [kind, setKind] = useState<SweepKind>('grid')
  const [queued, setQueued] = useState(0)
  const endpointId = useRuns((state) => state.endpointId)
  const { inputs } = useExposable()
  const [, go] = useLocation()
  const axes = drafts.map(readAxis).flatMap((one) => ('axis' in one ? [one.axis] : []))
  const count = axes.length === drafts.length ? sweepCount(axes, kind) : 0
  const send = useSendSweep(name, setQueued)
  const free = inputs.filter(({ suggestion }) => !drafts.some(({ parameter }) => isSameInput(parameter, suggestion)))
  const change = (at: number, text: string) =>
    setDrafts(drafts.map((one, index) => (index === at ? { ...one, text } : one)))
  return (
    <SidePanel open onOpenChange={onClose} title={`Sweep over ${name}`} width="wide">
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">
          The graph is run once for each combination of values, and the results are shown on one sheet.
        </p>
        {drafts.map((draft, at) => (
          <AxisRow
            key={`${draft.parameter.node} ${draft.parameter.input}`}
            draft={draft}
            onChange={(text) => change(at, text)}
            onRemove={() => setDrafts(drafts.filter((one) => one !== draft))}
          />
        ))}
        {drafts.length < MOST_AXES && (
          <AddAxis inputs={free} onAdd={(parameter) => setDrafts([...drafts, { parameter, text: '' }])} />
        )}
        {drafts.length > 1 && (
          <SegmentedChoice
            label="How values are combined"
            choices={KINDS}
            value={kind === 'grid' ? KINDS[0] : KINDS[1]}
            onChange={(chosen) => setKind(chosen === KINDS[0] ? 'grid' : 'pairs')}
          />
        )}
        <EndpointChooser />
        <MissingClasses />
        {count > MOST_RUNS_OF_SWEEP && (
          <ErrorNotice error={`${count} runs are too many; the limit is ${MOST_RUNS_OF_SWEEP}.`} />
        )}
        {send.error !== null && <ErrorNotice error={send.error} />}
        <div className="flex items-center justify-end gap-3">
          {send.isPending && <span role="status">{queued} queued</span>}
          <Button
            kind="main"
            disabled={count === 0 || count > MOST_RUNS_OF_SWEEP || endpointId === undefined || send.isPending}
            onClick={() => send.mutate({ axes, kind }, { onSuccess: (sweepId) => go(ADDRESS.sweep(sweepId)) })}
          >
            Run {count} times
          </Button>
        </div>
      </div>
    </SidePanel>
  )
}

type AxisRowProps = {
  readonly draft: AxisDraft
  readonly onChange: (text: string) => void
  readonly onRemove: () => void
}

function AxisRow({ draft, onChange, onRemove }: AxisRowProps) {
  const { parameter, text } = draft
  const read = readAxis(draft)
  const isText = parameter.type === 'string'
  const hint = isText
    ? 'One text per line.'
    : parameter.type === 'choice'
      ? `Some of ${(parameter.choices ?? []).slice(0, 8).join(', ')}.`
      : 'A range like 1..10 or 0.5..1 step 0.1, or values separated by commas.'
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <Labelled
          label={`Values of ${parameter.name} (node ${parameter.node})`}
          hint={hint}
          problem={text !== '' && 'why' in read ? read.why : undefined}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={isText ? 4 : 1}
              value={text}
              onChange={({ target }) => onChange(target.value)}
              className={`${CONTROL} min-h-7 resize-y py-1 font-mono text-small`}
            />
          )}
        </Labelled>
      </div>
      <IconButton label={`Remove ${parameter.name}`} icon={<X />} onClick={onRemove} />
    </div>
  )
}

type AddAxisProps = {
  readonly inputs: Exposable['inputs']
  readonly onAdd: (parameter: GraphParameter) => void
}

function AddAxis({ inputs, onAdd }: AddAxisProps) {
  const choices = inputs.map(({ title, suggestion }, at) => ({
    value: String(at),
    label: `${title} · ${suggestion.input} (${suggestion.node})`,
  }))
  return (
    <Labelled label="An input that changes" hint="Up to three.">
      {(ids) => (
        <Select
          {...ids}
          choices={choices}
          none="Choose an input"
          value=""
          onChange={(at) => {
            const chosen = inputs[Number(at)]
            if (at !== '' && chosen !== undefined) onAdd(chosen.suggestion)
          }}
        />
      )}
    </Labelled>
  )
}

function useSendSweep(name: string, onQueued: (count: number) => void) {
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
  readonly client: Caller
  readonly sweepId: string
  readonly endpointId: string
  readonly workflowId: string
  readonly title: string
  readonly base: { readonly payload: string; readonly document: string }
  readonly axes: readonly SweepAxis[]
  readonly kind: SweepKind
  readonly onQueued: (count: number) => void
}

/** @throws ApiError at the first refusal, as it would apply to the others too */
export async function sendSweep({ client, base, axes, kind, onQueued, ...order }: SweepOrder): Promise<void> {
  const parsed = parseJson(base.payload)
  if (!isObject(parsed)) throw new Error('The payload cannot be read.')
  let queued = 0
  for (const { payload, label, cell } of sweepRuns(parsed, axes, kind)) {
    const body = { ...order, cell, label: label.slice(0, 500), payload: writeJson(payload), document: base.document }
    await client.call('runCreate', { body })
    queued++
    onQueued(queued)
  }
}
