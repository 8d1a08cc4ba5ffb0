import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { useApp } from '../../../store/app-context.ts'
import type { Tab } from '../store/editor-context.ts'
import type { OpenDocument } from './open-tabs.ts'
import { findTab, useTabs } from './tabs-of.ts'
import { keepThumbnail } from './thumbnail.ts'

/** A workflow that is being opened, or is open. */
export type OpenWorkflow = {
  /** Undefined while it is read, or where it cannot be opened. */
  readonly tab: Tab | undefined
  /** Its name; empty while it is not known. */
  readonly name: string
  /** Why it cannot be opened, for a person. */
  readonly fault: string | undefined
  /** Tries once more. */
  readonly retry: () => void
}

/** Opens a workflow of the library in a tab, and shows it. */
export function useOpenWorkflow(workflowId: string): OpenWorkflow {
  const [tabs, shown] = useTabs(({ tabs: all }) => all.find((tab) => tab.workflowId === workflowId))
  useEffect(() => void tabs.show(workflowId), [tabs, workflowId])
  useThumbnail(workflowId)
  const retry = useCallback(() => void tabs.retry(workflowId), [tabs, workflowId])
  return { tab: shown?.open?.tab, name: shown?.name ?? '', fault: shown?.fault, retry }
}

/** Whoever leaves the tab finds its graph in the library as it is now. */
function useThumbnail(workflowId: string): void {
  const app = useApp()
  const queries = useQueryClient()
  useEffect(() => {
    async function keep(open: OpenDocument): Promise<void> {
      if (await keepThumbnail(app.client, open)) await queries.invalidateQueries({ queryKey: ['workflows'] })
    }
    return () => {
      const open = findTab(app, workflowId)?.open
      // After the page that is gone to is shown.
      if (open !== undefined) app.platform.after(0, () => void keep(open))
    }
  }, [app, queries, workflowId])
}
