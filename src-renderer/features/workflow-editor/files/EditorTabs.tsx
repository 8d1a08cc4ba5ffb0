import { Plus, TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useLocation } from 'wouter'
import { useStore } from 'zustand'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import type { Autosave, AutosaveState } from './autosave.ts'
import { useTabs } from './editor-files.ts'
import { FileDrop } from './FileDrop.tsx'
import { FileMenu } from './FileMenu.tsx'
import type { OpenTab, OpenTabs } from './open-tabs.ts'
import { TabItem } from './TabItem.tsx'
import { type FileActions, useFileActions } from './use-file-actions.ts'

export function EditorTabs() {
  const [tabs, { tabs: all, current }] = useTabs((state) => state)
  const actions = useFileActions()
  const commands = useTabCommands(tabs, actions, all)
  const shown = all.find(({ workflowId }) => workflowId === current)
  return (
    <>
      <div className="flex min-h-9 items-stretch border-b border-line bg-surface-0">
        <nav aria-label="Open workflows" className="flex min-w-0 overflow-x-auto">
          <ul className="flex items-stretch">
            {all.map((tab, at) => (
              <TabItem
                key={tab.workflowId}
                tab={tab}
                at={at}
                tabs={tabs}
                actions={actions}
                isCurrent={tab.workflowId === current}
              />
            ))}
          </ul>
        </nav>
        <div className="flex items-center px-1">
          <IconButton label="New empty workflow" icon={<Plus />} onClick={() => void actions.newEmpty()} />
        </div>
        <FileMenu open={shown?.open} actions={actions} />
      </div>
      {shown?.open !== undefined && <SaveNotice autosave={shown.open.autosave} actions={actions} />}
      <FileDrop what="Drop files to open them in tabs" onFiles={actions.openFiles} />
      <CommandsHere commands={commands} />
    </>
  )
}

type SaveNoticeProps = {
  readonly autosave: Autosave
  readonly actions: Pick<FileActions, 'exportDocument' | 'saveAsCopy' | 'loadTheirs'>
}

function SaveNotice({ autosave, actions }: SaveNoticeProps) {
  const status = useStore(autosave.state, (state) => state.status)
  const problem = useStore(autosave.state, (state) => state.problem)
  const notice = noticeOf(status, problem)
  if (notice === undefined) return null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-3 py-1.5 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-80 break-words">{notice}</p>
      {actionsOf(status, autosave, actions)}
    </div>
  )
}

function noticeOf(status: AutosaveState['status'], problem = ''): string | undefined {
  if (status === 'away') return `Edits are stored in this browser until the service accepts them. ${problem}`
  if (status === 'changed') return 'Another window has changed this workflow. Your edits are not sent until you choose.'
  return status === 'refused' ? `The service does not accept these edits. ${problem}` : undefined
}

function actionsOf(
  status: AutosaveState['status'],
  autosave: Autosave,
  actions: SaveNoticeProps['actions'],
): ReactNode {
  if (status === 'away') return <Button onClick={() => void autosave.saveDraft()}>Try now</Button>
  return (
    <>
      {status === 'changed' ? (
        <Button onClick={() => void actions.loadTheirs()}>Load their version</Button>
      ) : (
        <Button onClick={() => void actions.exportDocument()}>Save to disk</Button>
      )}
      <Button onClick={() => void actions.saveAsCopy()}>Save mine as a copy</Button>
    </>
  )
}

function useTabCommands(tabs: OpenTabs, actions: FileActions, open: readonly OpenTab[]): readonly Command[] {
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
      { id: 'tab-before', label: 'Previous tab', keys: 'g p', run: goBeside(-1) },
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
