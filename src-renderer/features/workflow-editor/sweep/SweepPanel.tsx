import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { isSameInput } from '../../../../src-main/domain/workflow/publish/graph-form.ts'
import { type AxisDraft, readAxis } from '../../../../src-main/domain/workflow/publish/read-axis.ts'
import { type SweepKind, sweepCount } from '../../../../src-main/domain/workflow/publish/sweep.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { CONTROL } from '../../../ui/form/control.ts'
import { Labelled } from '../../../ui/form/Labelled.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { SidePanel } from '../../../ui/SidePanel.tsx'
import { useExposable } from '../publish/use-form.ts'
import { EndpointChooser } from '../run/EndpointChooser.tsx'
import { prepareRuns } from '../run/prepare-runs.ts'
import { useRuns, useTab } from '../store/editor-context.ts'
import { randomBetween } from '../widgets/random-between.ts'
import { sendSweep } from './send-sweep.ts'

/** A sweep over the open document. */
export type SweepPanelProps = { readonly name: string; readonly onClose: () => void }

// More would make a sheet that nobody looks at, and a queue that nobody waits for.
const MOST_RUNS = 500
const MOST_AXES = 3
const KINDS = ['Each with each', 'Pair by pair'] as const

/** Which inputs change, over which values, and how they are put together; one button queues all runs. */
export function SweepPanel({ name, onClose }: SweepPanelProps) {
  const [drafts, setDrafts] = useState<readonly AxisDraft[]>([])
  const [kind, setKind] = useState<SweepKind>('grid')
  const [queued, setQueued] = useState(0)
  const endpointId = useRuns((state) => state.endpointId)
  const { inputs } = useExposable()
  const [, go] = useLocation()
  const read = drafts.map(readAxis)
  const axes = read.flatMap((one) => ('axis' in one ? [one.axis] : []))
  const count = axes.length === drafts.length ? sweepCount(axes, kind) : 0
  const send = useSendSweep({ name, onQueued: setQueued })
  const change = (at: number, text: string) =>
    setDrafts(drafts.map((one, place) => (place === at ? { ...one, text } : one)))
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
            why={whyOf(read[at])}
            onChange={(text) => change(at, text)}
            onRemove={() => setDrafts(drafts.filter((one) => one !== draft))}
          />
        ))}
        {drafts.length < MOST_AXES && (
          <AddAxis
            inputs={inputs.filter(
              ({ suggestion }) => !drafts.some(({ parameter }) => isSameInput(parameter, suggestion)),
            )}
            onAdd={(parameter) => setDrafts([...drafts, { parameter, text: '' }])}
          />
        )}
        {drafts.length > 1 && (
          <SegmentedChoice
            label="How values are put together"
            choices={KINDS}
            value={kind === 'grid' ? KINDS[0] : KINDS[1]}
            onChange={(chosen) => setKind(chosen === KINDS[0] ? 'grid' : 'pairs')}
          />
        )}
        <EndpointChooser />
        {count > MOST_RUNS && <ErrorNotice error={`${count} runs are too many; at most ${MOST_RUNS}.`} />}
        {send.error !== null && <ErrorNotice error={send.error} />}
        <div className="flex items-center justify-end gap-3">
          {send.isPending && <span role="status">{queued} queued</span>}
          <Button
            kind="main"
            disabled={count === 0 || count > MOST_RUNS || endpointId === undefined || send.isPending}
            onClick={() => send.mutate({ axes, kind }, { onSuccess: (sweepId) => go(ADDRESS.sweep(sweepId)) })}
          >
            Run {count} times
          </Button>
        </div>
      </div>
    </SidePanel>
  )
}

const whyOf = (read: ReturnType<typeof readAxis> | undefined) =>
  read !== undefined && 'why' in read ? read.why : undefined

type AxisRowProps = {
  readonly draft: AxisDraft
  readonly why: string | undefined
  readonly onChange: (text: string) => void
  readonly onRemove: () => void
}

function AxisRow({ draft: { parameter, text }, why, onChange, onRemove }: AxisRowProps) {
  const isText = parameter.type === 'string'
  const hint = isText
    ? 'One text a line.'
    : parameter.type === 'choice'
      ? `Some of ${(parameter.choices ?? []).slice(0, 8).join(', ')}.`
      : 'A range like 1..10 or 0.5..1 step 0.1, or values with commas.'
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <Labelled
          label={`Values of ${parameter.name} (node ${parameter.node})`}
          hint={hint}
          fault={text === '' ? undefined : why}
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
      <IconButton label={`Remove ${parameter.name}`} onClick={onRemove}>
        <X />
      </IconButton>
    </div>
  )
}

type AddAxisProps = {
  readonly inputs: ReturnType<typeof useExposable>['inputs']
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

function useSendSweep({ name, onQueued }: { readonly name: string; readonly onQueued: (count: number) => void }) {
  const { client, platform, store } = useApp()
  const { editor, runs, workflowId } = useTab()
  return useMutation({
    async mutationFn(wish: Pick<Parameters<typeof sendSweep>[0], 'axes' | 'kind'>) {
      const { document, types } = editor.getState()
      const { endpointId = '' } = runs.getState()
      const endpoint = store.getState().live.endpoints[endpointId]
      const order = { document, types, endpoint, count: 1, only: undefined, random: randomBetween, now: platform.now() }
      const prepared = prepareRuns({ ...order, seedMode: 'after', isFirst: true })
      if (prepared.kind === 'refused') throw new Error(refusalText(prepared.refusal))
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

function refusalText({
  message,
  problems,
}: {
  readonly message: string
  readonly problems: readonly { readonly message: string }[]
}): string {
  return [message, ...problems.slice(0, 3).map((problem) => problem.message)].join(' ')
}
