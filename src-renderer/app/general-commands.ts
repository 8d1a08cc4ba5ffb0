import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { loadCode } from '../browser/load-code.ts'
import { NEW_ENDPOINT_TITLES, NEW_ENDPOINTS } from '../features/endpoints/endpoint-state.ts'
import { useApp } from '../store/app-context.ts'
import { type Command, THEMES } from '../store/app-slices.ts'
import { isInList, pressInList } from '../store/list-keys.ts'
import { isOverlaid, isTyping, SEQUENCE_MS } from '../ui/keyboard.ts'
import { useSidebar } from '../ui/use-sidebar.ts'
import { SECTIONS, SETTINGS_SECTION } from './Sidebar.tsx'

// Same ids as on the creating page, whose commands take precedence there.
const MAKES: readonly (Pick<Command, 'id' | 'label' | 'also'> & { readonly to: string })[] = [
  ...NEW_ENDPOINTS.map((kind) => ({
    id: `new-${kind}`,
    label: NEW_ENDPOINT_TITLES[kind],
    to: `${ADDRESS.endpoints}?new=${kind}`,
  })),
  { id: 'new-catalog', label: 'New endpoint from the catalog', to: ADDRESS.catalog },
  { id: 'open-folder', label: 'New endpoints from an app folder', to: ADDRESS.openFolder('folder'), also: 'project' },
  { id: 'new-app', label: 'New app from the template', to: ADDRESS.openFolder('app'), also: 'project' },
  { id: 'new-from-template', label: 'New workflow from a template', to: ADDRESS.newFromTemplate },
  { id: 'model-download', label: 'New model from a download', to: ADDRESS.newModel },
  { id: 'add-registry', label: 'New registry credentials', to: ADDRESS.newRegistry },
  { id: 'new-account-key', label: 'New account key', to: ADDRESS.setting('key') },
]

export function useGeneralCommands(openSheet: () => void): readonly Command[] {
  const [, go] = useLocation()
  const { store, client, platform } = useApp()
  const { toggle } = useSidebar()
  const state = store.getState()
  const signOut = () =>
    client.call('sessionEnd').then(
      () => state.setConnection('signed-out', platform.now()),
      (error: Error) => state.notify({ kind: 'error', text: error.message }),
    )
  const newWorkflow = () =>
    loadCode(() => import('../features/workflow-editor/files/add-workflow.ts'))
      .then(({ addDraft, EMPTY_DOCUMENT }) => addDraft(client, 'Untitled', EMPTY_DOCUMENT))
      .then(
        ({ id }) => go(ADDRESS.workflow(id)),
        (error: Error) => state.notify({ kind: 'error', text: error.message }),
      )
  return [
    ...MAKES.map(({ to, ...command }) => ({ ...command, group: 'New', run: () => go(to) })),
    { id: 'new-workflow', group: 'New', label: 'New empty workflow', run: () => void newWorkflow() },
    ...[...SECTIONS, SETTINGS_SECTION].map(({ section, name, to, key }) => ({
      id: `go-${section}`,
      group: 'Go to',
      label: name,
      keys: `g ${key}`,
      run: () => go(to),
    })),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      group: 'Window',
      label: `Theme: ${theme}`,
      run: () => state.setTheme(theme),
    })),
    { id: 'sidebar', group: 'Window', label: 'Pin or collapse the sidebar', keys: '[', run: toggle },
    { id: 'keys', group: 'Window', label: 'Show all keys', keys: '?', run: openSheet },
    { id: 'sign-out', group: 'Window', label: 'Sign out this browser', run: () => void signOut() },
  ]
}

export const WINDOW_KEYS = [
  { does: 'palette', label: 'Every action', key: 'k', withCtrl: true },
  { does: 'search', label: 'Search on this page', key: '/', withCtrl: false },
  { does: 'sheet', label: 'This sheet', key: '?', withCtrl: false },
] as const

/** Handles `WINDOW_KEYS`, list keys, and keys of available commands. */
export function useShortcuts({
  openPalette,
  openSheet,
  isOpen,
}: {
  readonly openPalette: () => void
  readonly openSheet: () => void
  /** An overlay is open or opening and gets all letters. */
  readonly isOpen: boolean
}): void {
  const { store, platform } = useApp()
  useEffect(() => {
    let before: { readonly key: string; readonly at: number } | undefined

    function onKeyDown(event: KeyboardEvent) {
      const withCtrl = event.ctrlKey || event.metaKey
      const key = withCtrl ? event.key.toLowerCase() : event.key
      const { does } = WINDOW_KEYS.find((one) => one.key === key && one.withCtrl === withCtrl) ?? {}
      if (does === 'palette') {
        event.preventDefault()
        openPalette()
        return
      }
      // A key that has just closed something is already handled.
      if (event.defaultPrevented || event.altKey || isTyping(event.target) || isOpen) return
      const { lists } = store.getState()
      const isCovered = isOverlaid()
      if (isCovered && !isInList(event.target, lists)) return
      if (withCtrl || isCovered) pressedInList(event)
      else if (does === 'sheet') openSheet()
      else if (does === 'search') focusSearch(event)
      else runCommand(event)
    }

    function pressedInList(event: KeyboardEvent): boolean {
      const done = pressInList(event, store.getState().lists)
      if (done) event.preventDefault()
      return done
    }

    function runCommand(event: KeyboardEvent) {
      const fresh = before !== undefined && platform.now() - before.at < SEQUENCE_MS
      const both = fresh ? `${before?.key} ${event.key}` : undefined
      before = { key: event.key, at: platform.now() }
      // Newest first, so page commands precede general ones. A second key without a sequence counts alone.
      const { commands } = store.getState()
      const followed = commands.findLast(({ keys }) => keys === both && keys !== undefined)
      if (followed === undefined && pressedInList(event)) return
      const command = followed ?? commands.findLast(({ keys }) => keys === event.key)
      if (command === undefined) return
      event.preventDefault()
      before = undefined
      command.run()
    }

    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [store, platform, openPalette, openSheet, isOpen])
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLElement>('[data-search]')
  if (search === null) return
  event.preventDefault()
  search.focus()
}
