import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/commands-slice.ts'
import type { OpenTab, OpenTabs } from './open-tabs.ts'
import type { FileActions } from './use-file-actions.ts'

/** What the palette offers for tabs, and for the shown document as a file. @param open the tabs as they are */
export function useTabCommands(tabs: OpenTabs, actions: FileActions, open: readonly OpenTab[]): readonly Command[] {
  const [, go] = useLocation()
  const toTabs = useMemo(
    () =>
      open
        .filter(({ name }) => name !== '')
        .map(({ workflowId, name }) => ({
          id: `tab ${workflowId}`,
          label: name,
          group: 'Open workflows',
          run: () => go(ADDRESS.workflow(workflowId)),
        })),
    [open, go],
  )
  const others = useMemo(() => {
    const shown = () => {
      const { tabs: all, current } = tabs.state.getState()
      return { all, at: all.findIndex(({ workflowId }) => workflowId === current) }
    }
    const goBeside = (step: number) => () => {
      const { all, at } = shown()
      const to = all[(at + step + all.length) % all.length]
      if (to !== undefined) go(ADDRESS.workflow(to.workflowId))
    }
    const move = (step: number) => () => {
      const { all, at } = shown()
      const tab = all[at]
      if (tab !== undefined) tabs.move(tab.workflowId, Math.max(0, at + step))
    }
    const run = (work: () => Promise<void>) => () => void work()
    return [
      { id: 'tab-next', label: 'Next tab', keys: 'g n', run: goBeside(1) },
      { id: 'tab-before', label: 'Tab before', keys: 'g p', run: goBeside(-1) },
      { id: 'tab-right', label: 'Move tab to the right', run: move(1) },
      { id: 'tab-left', label: 'Move tab to the left', run: move(-1) },
      { id: 'tab-close', label: 'Close tab', run: run(actions.close) },
      { id: 'file-revert', label: 'Revert to saved', run: run(actions.revert) },
      { id: 'file-copy', label: 'Save a copy', run: run(actions.saveCopy) },
      { id: 'file-document', label: 'Export document', run: run(actions.exportDocument) },
      { id: 'file-payload', label: 'Export payload', run: run(actions.exportPayload) },
      { id: 'file-png', label: 'Export picture', run: run(actions.exportPng) },
    ].map((command) => ({ ...command, group: 'Workflow file' }))
  }, [tabs, actions, go])
  return useMemo(() => [...others, ...toTabs], [others, toTabs])
}
