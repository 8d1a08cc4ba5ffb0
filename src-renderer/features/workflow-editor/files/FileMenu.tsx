import { CopyPlus, Download, FileJson2, FolderOpen, History, Image, Save, Undo2 } from 'lucide-react'
import { useLocation } from 'wouter'
import { createStore, type StoreApi, useStore } from 'zustand'
import { ADDRESS } from '../../../addresses.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu, type MenuItem } from '../../../ui/Menu.tsx'
import type { Autosave, AutosaveState } from './autosave.ts'
import type { OpenDocument } from './open-tabs.ts'
import type { FileActions } from './use-file-actions.ts'

export type FileMenuProps = { readonly open: OpenDocument | undefined; readonly actions: FileActions }

export function FileMenu({ open, actions }: FileMenuProps) {
  const [, go] = useLocation()
  const hasVersion = useHasVersion(open)
  return (
    <div className="ml-auto flex shrink-0 items-center gap-2 pr-2 pl-2">
      {open !== undefined && <SaveState autosave={open.autosave} />}
      <Menu groups={groupsOf(open, hasVersion, actions, go)}>
        <Button kind="quiet">File</Button>
      </Menu>
    </div>
  )
}

const NEVER = createStore(() => undefined)

function useHasVersion(open: OpenDocument | undefined): boolean {
  const version = useStore<StoreApi<AutosaveState | undefined>, number | undefined>(
    open?.autosave.state ?? NEVER,
    (state) => state?.workflow.version,
  )
  return (version ?? 0) > 0
}

function SaveState({ autosave }: { readonly autosave: Autosave }) {
  const label = useStore(autosave.state, labelOf)
  // Not announced, as it changes with each edit; problems are alerts.
  return <span className="text-small text-ink-2 max-lg:hidden">{label}</span>
}

function labelOf({ workflow: { version, draft }, status }: AutosaveState): string {
  if (status === 'away' || status === 'refused' || status === 'changed') return 'Not stored'
  if (status !== 'kept') return 'Keeping'
  return draft > 0 ? 'Draft stored' : `Saved, version ${version}`
}

function groupsOf(
  open: OpenDocument | undefined,
  hasVersion: boolean,
  actions: FileActions,
  go: (to: string) => void,
): readonly (readonly MenuItem[])[] {
  const isClosed = open === undefined
  const item = (label: string, icon: MenuItem['icon'], run: () => Promise<void>, detail?: string): MenuItem => {
    return { label, icon, onSelect: () => void run(), disabled: isClosed, ...(detail === undefined ? {} : { detail }) }
  }
  const versions = `${ADDRESS.workflows}?versions=${open?.tab.workflowId ?? ''}`
  return [
    [
      item('Save', <Save />, actions.save, 'Save a version to the library, Ctrl+S'),
      item('Save a copy', <CopyPlus />, actions.saveCopy),
      { ...item('Revert to saved', <Undo2 />, actions.revert), disabled: !hasVersion },
      { label: 'Versions', icon: <History />, onSelect: () => go(versions), disabled: isClosed },
    ],
    [{ label: 'Open file', icon: <FolderOpen />, onSelect: () => void actions.open() }],
    [
      item('Export document', <Download />, actions.exportDocument, 'JSON that the editor opens'),
      item('Export payload', <FileJson2 />, actions.exportPayload, 'JSON in the API form, for workers'),
      item('Export picture', <Image />, actions.exportPng, 'PNG that holds the graph'),
    ],
  ]
}
