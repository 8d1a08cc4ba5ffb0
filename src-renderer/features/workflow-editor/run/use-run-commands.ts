import { useMemo } from 'react'
import { takesWorkflows } from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { useTab } from '../store/editor-context.ts'
import type { RunActions } from './run-actions.ts'
import { chooseEndpoint, runEndpoints } from './run-endpoints.ts'

/** What the palette offers beside the keys of the editor: other ways to run, other endpoints. */
export function useRunCommands(actions: RunActions): readonly Command[] {
  const { platform } = useApp()
  const { runs } = useTab()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const ids = runEndpoints(endpoints)
    .filter(takesWorkflows)
    .map(({ id }) => id)
    .join(' ')
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
