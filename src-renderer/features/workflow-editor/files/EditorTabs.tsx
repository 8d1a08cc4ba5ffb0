import clsx from 'clsx'
import {
  CopyPlus,
  Download,
  FileJson2,
  FolderOpen,
  History,
  Image,
  Plus,
  Save,
  TriangleAlert,
  Undo2,
  X,
} from 'lucide-react'
import { type DragEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { createStore, type StoreApi, useStore } from 'zustand'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Menu, type MenuItem } from '../../../ui/Menu.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import type { Autosave, AutosaveState } from './autosave.ts'
import { useTabs } from './editor-files.ts'
import { FileDrop } from './FileDrop.tsx'
import { NameField } from './NameField.tsx'
import type { OpenDocument, OpenTab, OpenTabs } from './open-tabs.ts'
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

type TabItemProps = {
  readonly tab: OpenTab
  readonly at: number
  readonly tabs: OpenTabs
  readonly actions: FileActions
  readonly isCurrent: boolean
}

const DRAGGED = 'application/x-drydock-tab'
const MIDDLE = 1

function TabItem({ tab, at, tabs, actions, isCurrent }: TabItemProps) {
  const { workflowId, name, open, problem } = tab
  const [isNaming, setNaming] = useState(false)
  const element = useRef<HTMLLIElement>(null)
  const title = name !== '' ? name : problem === undefined ? 'Opening' : 'Not opened'
  useEffect(() => {
    const tab = element.current
    if (!isCurrent || tab === null) return
    // Names and marks change its width, and neighbours the available room.
    const resize = new ResizeObserver(() => tab.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
    for (const watched of [tab, tab.closest('nav')]) if (watched !== null) resize.observe(watched)
    return () => resize.disconnect()
  }, [isCurrent])
  const drop = (event: DragEvent) => {
    const moved = event.dataTransfer.getData(DRAGGED)
    if (moved !== '') tabs.move(moved, at)
  }
  return (
    <li
      ref={element}
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()}
      onDrop={drop}
      className={clsx(
        'flex max-w-56 min-w-24 items-center border-r border-line pr-1',
        isCurrent ? 'bg-surface-1 shadow-[inset_0_2px_var(--accent)]' : 'hover:bg-surface-2',
      )}
    >
      {isNaming ? (
        <div className="px-2">
          <NameField
            name={title}
            onName={(changed) => void actions.rename(workflowId, changed)}
            onEnd={() => setNaming(false)}
          />
        </div>
      ) : (
        <Link
          to={ADDRESS.workflow(workflowId)}
          title={title}
          aria-current={isCurrent ? 'page' : undefined}
          aria-keyshortcuts="F2"
          draggable
          onDragStart={(event) => event.dataTransfer.setData(DRAGGED, workflowId)}
          onDoubleClick={() => setNaming(true)}
          onKeyDown={(event) => event.key === 'F2' && setNaming(true)}
          onAuxClick={(event) => {
            if (event.button !== MIDDLE) return
            event.preventDefault()
            void actions.closeTab(workflowId)
          }}
          className={clsx(
            'flex h-full min-w-0 flex-1 items-center gap-1.5 pl-3 -outline-offset-2',
            isCurrent ? 'font-medium' : 'text-ink-2',
          )}
        >
          <span className="truncate">{title}</span>
          {open !== undefined && <UnsavedMark open={open} />}
        </Link>
      )}
      <IconButton
        label={`Close ${title}`}
        icon={<X />}
        onClick={() => void actions.closeTab(workflowId)}
        className="ml-0.5 size-6"
      />
    </li>
  )
}

function UnsavedMark({ open }: { readonly open: NonNullable<OpenTab['open']> }) {
  const isSaved = useStore(open.autosave.state, ({ workflow, status }) => workflow.draft === 0 && status === 'kept')
  if (isSaved) return null
  return <span role="img" aria-label="Unsaved edits" className="size-2 shrink-0 rounded-full bg-accent" />
}

function SaveNotice({ autosave, actions }: { readonly autosave: Autosave; readonly actions: FileActions }) {
  const status = useStore(autosave.state, (state) => state.status)
  const problem = useStore(autosave.state, (state) => state.problem) ?? ''
  if (status !== 'away' && status !== 'changed' && status !== 'refused') return null
  const notice = {
    away: `Edits are stored in this browser until the service accepts them. ${problem}`,
    changed: 'Another window has changed this workflow. Your edits are not sent until you choose.',
    refused: `The service does not accept these edits. ${problem}`,
  }[status]
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-3 py-1.5 text-warn-ink"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-80 break-words">{notice}</p>
      {status === 'away' && <Button onClick={() => void autosave.saveDraft()}>Try now</Button>}
      {status === 'changed' && <Button onClick={() => void actions.loadTheirs()}>Load their version</Button>}
      {status === 'refused' && <Button onClick={() => void actions.exportDocument()}>Save to disk</Button>}
      {status !== 'away' && <Button onClick={() => void actions.saveAsCopy()}>Save mine as a copy</Button>}
    </div>
  )
}

function useTabCommands(tabs: OpenTabs, actions: FileActions, open: readonly OpenTab[]): readonly Command[] {
  const [, go] = useLocation()
  return useMemo(() => {
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
    const ofFile = [
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
    const toTabs = open
      .filter(({ name }) => name !== '')
      .map(({ workflowId, name: label }) => {
        const show = () => go(ADDRESS.workflow(workflowId))
        return { id: `tab ${workflowId}`, label, group: 'Open workflows', run: show }
      })
    return [...ofFile, ...toTabs]
  }, [tabs, actions, go, open])
}

const NEVER = createStore(() => undefined)

function FileMenu({ open, actions }: { readonly open: OpenDocument | undefined; readonly actions: FileActions }) {
  const [, go] = useLocation()
  const stored = useStore<StoreApi<AutosaveState | undefined>>(open?.autosave.state ?? NEVER)
  const isClosed = open === undefined
  const item = (label: string, icon: MenuItem['icon'], run: () => Promise<void>, detail?: string): MenuItem => {
    return { label, icon, onSelect: () => void run(), disabled: isClosed, ...(detail === undefined ? {} : { detail }) }
  }
  const revert = item('Revert to saved', <Undo2 />, actions.revert)
  const versions = `${ADDRESS.workflows}?versions=${open?.tab.workflowId ?? ''}`
  const groups = [
    [
      item('Save', <Save />, actions.save, 'Save a version to the library, Ctrl+S'),
      item('Save a copy', <CopyPlus />, actions.saveCopy),
      { ...revert, disabled: stored === undefined || stored.workflow.version === 0 },
      { label: 'Versions', icon: <History />, onSelect: () => go(versions), disabled: isClosed },
    ],
    [{ label: 'Open file', icon: <FolderOpen />, onSelect: () => void actions.open() }],
    [
      item('Export document', <Download />, actions.exportDocument, 'JSON that the editor opens'),
      item('Export payload', <FileJson2 />, actions.exportPayload, 'JSON in the API form, for workers'),
      item('Export picture', <Image />, actions.exportPng, 'PNG that holds the graph'),
    ],
  ]
  return (
    <div className="ml-auto flex shrink-0 items-center gap-2 pr-2 pl-2">
      {/* Not announced, as it changes with each edit; problems are alerts. */}
      {stored !== undefined && <span className="text-small text-ink-2 max-lg:hidden">{labelOf(stored)}</span>}
      <Menu groups={groups}>
        <Button kind="quiet">File</Button>
      </Menu>
    </div>
  )
}

function labelOf({ workflow: { version, draft }, status }: AutosaveState): string {
  if (status === 'away' || status === 'refused' || status === 'changed') return 'Not stored'
  if (status !== 'kept') return 'Keeping'
  return draft > 0 ? 'Draft stored' : `Saved, version ${version}`
}
