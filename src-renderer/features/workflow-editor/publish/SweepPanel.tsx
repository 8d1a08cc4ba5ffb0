import { X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { isSameInput } from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import {
  type AxisDraft,
  readAxis,
  type SweepKind,
  sweepCount,
} from '../../../../src-main/features/workflows/rules/publish/sweep.ts'
import { ADDRESS } from '../../../addresses.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { CONTROL, Labelled } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { MissingClasses } from '../problems/ProblemList.tsx'
import { EndpointChooser } from '../run/EndpointChooser.tsx'
import { useRuns } from '../store/editor-store.ts'
import { type Exposable, useExposable } from './use-form.ts'
import { useSendSweep } from './use-send-sweep.ts'

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
