import { Check, ChevronDown, Play } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { Menu, type MenuProps } from '../../../ui/Menu.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { ServerOffer } from '../servers/ServerOffer.tsx'
import { useEditor, useRuns, useTab } from '../store/editor-context.ts'
import { CountField } from './CountField.tsx'
import { EndpointChooser } from './EndpointChooser.tsx'
import { RefusalNotice } from './RefusalNotice.tsx'
import { RunStatus } from './RunStatus.tsx'
import { seedMode, setSeedMode } from './run-actions.ts'
import { chooseEndpoint } from './run-endpoints.ts'
import { useFollowedRuns } from './use-followed-runs.ts'
import { useAutoRun, useRunActions } from './use-run-actions.ts'
import { useRunCommands } from './use-run-commands.ts'

const AUTO = {
  change: { label: 'Run on change', detail: 'When what is sent has changed; one run at a time' },
  again: { label: 'Run again and again', detail: 'Until one fails or it is stopped' },
} as const

/** Runs the open document: where, how often, how it goes, and how to stop it. */
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
  const more = useMemo<MenuProps['groups']>(
    () => [
      [
        {
          label: 'Run the selected outputs',
          detail: hasSelection ? 'Only what they need' : 'Select nodes that give results first',
          icon: <Play aria-hidden />,
          disabled: !hasSelection || hasNoEndpoint,
          onSelect: () => void actions.run({ onlySelected: true }),
        },
      ],
      (['change', 'again'] as const).map((one) => ({
        label: AUTO[one].label,
        detail: AUTO[one].detail,
        icon: auto === one ? <Check aria-label="chosen" /> : <span className="w-4" />,
        disabled: hasNoEndpoint,
        onSelect: () => runs.getState().set({ auto: auto === one ? 'off' : one }),
      })),
      (['after', 'before'] as const).map((one) => ({
        label: `Move seeds on ${one} each run`,
        detail:
          one === 'after' ? 'The editor shows the seed of the next run' : 'The editor shows the seed of the last run',
        icon: mode === one ? <Check aria-label="chosen" /> : <span className="w-4" />,
        onSelect: () => {
          setSeedMode(platform, one)
          setMode(one)
        },
      })),
    ],
    [actions, hasSelection, hasNoEndpoint, mode, platform, auto, runs],
  )
  const choose = (id: string) => chooseEndpoint({ platform, runs }, id)
  return (
    <section
      aria-label="Run"
      className="flex w-max min-w-96 max-w-full flex-col rounded-control border border-line bg-surface-1 shadow-float"
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
              {auto === 'change' ? 'Stop running on change' : 'Stop running again'}
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
