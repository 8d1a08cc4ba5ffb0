import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { useApp } from '../store/app-context.ts'
import type { Command } from '../store/commands-slice.ts'
import { THEMES } from '../store/layout-slice.ts'
import { SECTIONS, SETTINGS_SECTION } from './sections.ts'

/** What can be done from every page. @param openSheet shows the keys */
export function useGeneralCommands(openSheet: () => void): readonly Command[] {
  const [, go] = useLocation()
  const { store, client, platform } = useApp()
  return useMemo(() => {
    const state = store.getState()
    const signOut = () =>
      client.call('sessionEnd').then(
        () => state.setConnection('signed-out', platform.now()),
        (error: Error) => state.tell({ kind: 'error', text: error.message }),
      )
    return [
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
        label: `Colours: ${theme}`,
        run: () => state.setTheme(theme),
      })),
      { id: 'sidebar', group: 'Window', label: 'Pin or fold the sidebar', keys: '[', run: state.toggleSidebar },
      { id: 'keys', group: 'Window', label: 'Show all keys', keys: '?', run: openSheet },
      { id: 'sign-out', group: 'Window', label: 'Sign out this browser', run: () => void signOut() },
    ]
  }, [go, store, client, platform, openSheet])
}
