import { Check, ChevronDown, Play } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button } from '../../../ui/Button.tsx'
import { CONTROL } from '../../../ui/form/Field.tsx'
import { Menu, type MenuProps } from '../../../ui/Menu.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { useEditor, useRuns, useTab } from '../store/editor-store.ts'
import { chooseEndpoint, runEndpoints } from '../store/run-store.ts'
import { EndpointChooser } from './EndpointChooser.tsx'
import { findEarlierRuns, followRuns } from './follow-runs.ts'
import { RefusalNotice } from './RefusalNotice.tsx'
import { RunStatus } from './RunStatus.tsx'
import { MOST_RUNS_AT_ONCE, type RunActions, seedMode, setSeedMode, useAutoRun, useRunActions } from './run-actions.ts'
import { ServerOffer } from './ServerOffer.tsx'

const AUTO = {
  change: { label: 'Run on change', detail: 'When the workflow changes; one run at a time' },
  again: { label: 'Run continuously', detail: 'Until a run fails or you stop it' },
} as const

export function RunBar() {
  useFollowedRuns()
  const { platform } = useApp()
  const actions = useRunActions()
  useAutoRun(actions)
  const { runs } = useTab()
  const auto = useRuns((state) => state.auto)
  const count = useRuns((state) => state.count)
  const endpointId = useRuns((state) => state.endpointId)
  const hasSelection = useEditor(({ selection }) => selection.size > 0)
  const commands = useRunCommands(actions)
  const hasNoEndpoint = endpointId === undefined
  const [mode, setMode] = useState(() => seedMode(platform))
  const more: MenuProps['groups'] = [
    [
      {
        label: 'Run the selected outputs',
        detail: hasSelection ? 'Only what they need' : 'Select nodes that have results first',
        icon: <Play aria-hidden />,
        disabled: !hasSelection || hasNoEndpoint,
        onSelect: () => void actions.run({ onlySelected: true }),
      },
    ],
    (['change', 'again'] as const).map((one) => ({
      ...AUTO[one],
      icon: auto === one ? <Check aria-label="chosen" /> : <span className="w-4" />,
      disabled: hasNoEndpoint,
      onSelect: () => runs.getState().set({ auto: auto === one ? 'off' : one }),
    })),
    (['after', 'before'] as const).map((one) => ({
      label: `Update seeds ${one} each run`,
      detail:
        one === 'after' ? 'The editor shows the seed of the next run' : 'The editor shows the seed of the last run',
      icon: mode === one ? <Check aria-label="chosen" /> : <span className="w-4" />,
      onSelect: () => {
        setSeedMode(platform, one)
        setMode(one)
      },
    })),
  ]
  const choose = (id: string) => chooseEndpoint({ platform, runs }, id)
  return (
    <section
      aria-label="Run"
      className="pointer-events-auto flex w-max min-w-[min(24rem,100%)] max-w-full flex-col rounded-control border border-line bg-surface-1 shadow-float"
    >
      <ServerOffer className="rounded-t-control border-b border-line" onMade={choose} />
      <RefusalNotice />
      <RunStatus actions={actions} />
      <div className="flex flex-wrap items-center gap-2 p-2">
        <EndpointChooser />
        <CountField value={count} onChange={(next) => runs.getState().set({ count: next })} />
        <div className="flex">
          <Tooltip text={hasNoEndpoint ? 'Choose an endpoint first' : 'Run the graph (Ctrl+Enter)'}>
            <Button
              kind="main"
              aria-disabled={hasNoEndpoint}
              className="rounded-r-none"
              onClick={() => void actions.run()}
            >
              <Play aria-hidden /> {count === 1 ? 'Run' : `Run ${count}`}
            </Button>
          </Tooltip>
          {auto !== 'off' && (
            <Button
              kind="main"
              className="rounded-none border-l border-on-accent/30"
              onClick={() => runs.getState().set({ auto: 'off' })}
            >
              {auto === 'change' ? 'Stop running on change' : 'Stop running continuously'}
            </Button>
          )}
          <Menu groups={more}>
            <Button
              kind="main"
              aria-label="More ways to run"
              className="rounded-l-none border-l border-on-accent/30 px-1.5"
            >
              <ChevronDown aria-hidden />
            </Button>
          </Menu>
        </div>
      </div>
      <CommandsHere commands={commands} />
    </section>
  )
}

function useFollowedRuns(): void {
  const { client, platform, store } = useApp()
  const { runs, workflowId } = useTab()
  useEffect(() => followRuns({ client, platform, app: store, runs }), [client, platform, store, runs])

  useEffect(() => {
    if (runs.getState().shown !== undefined || runs.getState().active.length > 0) return
    // The list of results reports the failure; runs of this window are followed all the same.
    void findEarlierRuns(client, runs, workflowId).catch(() => undefined)
  }, [client, runs, workflowId])
}

function useRunCommands(actions: RunActions): readonly Command[] {
  const { platform } = useApp()
  const { runs } = useTab()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const taking = runEndpoints(endpoints).filter(takesWorkflows)
  const ids = taking.map(({ id }) => id).join(' ')
  return useMemo(() => {
    const command = (id: string, label: string, run: () => void): Command => ({ id, label, group: 'Run', run })
    return [
      command('run-selected', 'Run the selected outputs', () => void actions.run({ onlySelected: true })),
      command('run-cancel-all', 'Cancel all runs of this workflow', () => void actions.cancelAll()),
      ...ids
        .split(' ')
        .filter((id) => id !== '')
        .map((id) => command(`run-on-${id}`, `Run on ${id}`, () => chooseEndpoint({ platform, runs }, id))),
    ]
  }, [actions, ids, platform, runs])
}

function CountField({ value, onChange }: { readonly value: number; readonly onChange: (count: number) => void }) {
  // The typed text may not be a number yet.
  const [typed, setTyped] = useState<string>()
  const text = typed ?? String(value)
  const isWrong = !isCount(text)
  return (
    <label
      className="flex items-center gap-1.5 text-ink-2"
      title={`1 to ${MOST_RUNS_AT_ONCE}; each run has its own seeds`}
    >
      Runs
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST_RUNS_AT_ONCE}
        value={text}
        aria-invalid={isWrong}
        onChange={({ target }) => {
          setTyped(target.value)
          if (isCount(target.value)) onChange(Number(target.value))
        }}
        onBlur={() => setTyped(undefined)}
        className={`${CONTROL} h-7 w-14 text-ink`}
      />
    </label>
  )
}

const isCount = (text: string) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_RUNS_AT_ONCE
