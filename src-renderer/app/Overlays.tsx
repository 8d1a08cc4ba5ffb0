import { lazy, Suspense, useCallback, useState } from 'react'
import { CommandsHere } from '../ui/CommandsHere.tsx'
import { useGeneralCommands } from './use-general-commands.ts'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazy(() => import('./Palette.tsx').then((loaded) => ({ default: loaded.Palette })))
const ShortcutSheet = lazy(() => import('./ShortcutSheet.tsx').then((loaded) => ({ default: loaded.ShortcutSheet })))

type Overlay = 'palette' | 'shortcuts'

/** What lies over all pages: the palette and the sheet of keys. Each is loaded when it is first asked for. */
export function Overlays() {
  const [overlay, setOverlay] = useState<Overlay>()
  const close = useCallback(() => setOverlay(undefined), [])
  const openSheet = useCallback(() => setOverlay('shortcuts'), [])
  const openPalette = useCallback(() => setOverlay((now) => (now === 'palette' ? undefined : 'palette')), [])
  const commands = useGeneralCommands(openSheet)
  useShortcuts({ openPalette, openSheet })
  return (
    <>
      <CommandsHere commands={commands} />
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'shortcuts' && <ShortcutSheet onClose={close} />}
      </Suspense>
    </>
  )
}
