import { useEffect } from 'react'
import { useApp } from '../../../store/app-context.ts'
import { useTab } from '../store/editor-context.ts'
import { followRuns, hasEnded } from './follow-runs.ts'

const LATEST = 20

/** Follows the runs of the tab while it is shown, those too that began before the window was loaded. */
export function useFollowedRuns(): void {
  const { client, platform, store } = useApp()
  const { runs, workflowId } = useTab()
  useEffect(() => followRuns({ client, platform, app: store, runs }), [client, platform, store, runs])

  useEffect(() => {
    if (runs.getState().shown !== undefined || runs.getState().active.length > 0) return
    const found = client.call('runList', { query: { workflow: workflowId, limit: LATEST } })
    void found.then(
      ({ runs: latest }) => {
        const { active, set } = runs.getState()
        const known = new Set(active.map(({ id }) => id))
        const open = latest.filter((run) => !hasEnded(run) && !known.has(run.id)).toReversed()
        if (open.length > 0) set({ active: [...open, ...active] })
      },
      // The list of results says that it could not be read; runs of this window are followed all the same.
      () => undefined,
    )
  }, [client, runs, workflowId])
}
