import { type ComponentType, lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { CommandsHere } from '../ui/CommandsHere.tsx'
import { useGeneralCommands } from './use-general-commands.ts'
import { useShortcuts } from './use-shortcuts.ts'

const ShortcutSheet = lazy(() => import('./ShortcutSheet.tsx').then((loaded) => ({ default: loaded.ShortcutSheet })))

type Overlay = 'palette' | 'shortcuts'
type OverlayProps = { readonly onClose: () => void }

/** What lies over all pages: the palette and the sheet of keys, which is loaded when it is first asked for. */
export function Overlays() {
  const [overlay, setOverlay] = useState<Overlay>()
  const close = useCallback(() => setOverlay(undefined), [])
  const openSheet = useCallback(() => setOverlay('shortcuts'), [])
  const openPalette = useCallback(() => setOverlay((now) => (now === 'palette' ? undefined : 'palette')), [])
  const commands = useGeneralCommands(openSheet)
  const isPalette = overlay === 'palette'
  const Palette = usePalette(isPalette)
  useShortcuts({ openPalette, openSheet, isOpen: overlay !== undefined })
  return (
    <>
      <CommandsHere commands={commands} />
      {isPalette && Palette !== undefined && <Palette onClose={close} />}
      <Suspense>{overlay === 'shortcuts' && <ShortcutSheet onClose={close} />}</Suspense>
    </>
  )
}

// Loaded behind the first page, and not by `lazy`, which shows what it loads 300 ms late: whoever types at once would
// type past it. Where it cannot be had then, it is asked for again when it is wanted.
function usePalette(isWanted: boolean): ComponentType<OverlayProps> | undefined {
  const [palette, setPalette] = useState<ComponentType<OverlayProps>>()
  const isThere = palette !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when it is wanted
  useEffect(() => {
    if (isThere) return
    import('./palette/Palette.tsx').then(
      ({ Palette }) => setPalette(() => Palette),
      () => undefined,
    )
  }, [isThere, isWanted])
  return palette
}
