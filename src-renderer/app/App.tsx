import * as Tooltip from '@radix-ui/react-tooltip'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Unplug } from 'lucide-react'
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { loadCode } from '../browser/load-code.ts'
import { AppContext, type AppServices, useApp, useAppState } from '../store/app-context.ts'
import { Button } from '../ui/Button.tsx'
import { Notices } from '../ui/Notices.tsx'
import { CommandsHere, Page } from '../ui/Page.tsx'
import { ErrorNotice, Typed } from '../ui/PageStates.tsx'
import { RelativeTime } from '../ui/Values.tsx'
import { useGeneralCommands, useShortcuts } from './general-commands.ts'
import { type LoadedPages, Pages } from './Pages.tsx'
import { Sidebar } from './Sidebar.tsx'
import { SignedOut } from './SignedOut.tsx'
import { StatusBar } from './StatusBar.tsx'

export type AppProps = {
  readonly services: AppServices
  readonly queries: QueryClient
  readonly first: LoadedPages
}

const TOOLTIP_AFTER_MS = 400

export function App({ services, queries, first }: AppProps) {
  return (
    <AppContext value={services}>
      <QueryClientProvider client={queries}>
        <Tooltip.Provider delayDuration={TOOLTIP_AFTER_MS}>
          <Window first={first} />
        </Tooltip.Provider>
      </QueryClientProvider>
    </AppContext>
  )
}

function Window({ first }: Pick<AppProps, 'first'>) {
  const [path] = useLocation()
  const signedOut = useAppState((state) => state.connection === 'signed-out')
  if (signedOut) return <SignedOut />
  return (
    <Frame>
      <PageErrorBoundary path={path}>
        <Pages first={first} />
      </PageErrorBoundary>
    </Frame>
  )
}

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex h-full flex-col">
      <a
        href="#content"
        className="absolute top-1 left-1 z-50 -translate-y-12 rounded-control bg-accent px-2 py-1 text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className="flex min-h-0 flex-1">
        <Sidebar />
        <div className="flex min-w-0 flex-1 flex-col">
          {children}
          <ConnectionBanner />
        </div>
      </div>
      <StatusBar />
      <Notices />
      <Overlays />
    </div>
  )
}

function ConnectionBanner() {
  const lost = useAppState((state) => state.connection === 'lost')
  const since = useAppState((state) => state.connectionSince)
  const { desktop } = useApp().platform
  if (!lost) return null
  return (
    <div role="alert" className="enters flex shrink-0 items-center gap-2 bg-warn-soft px-4 py-1.5 text-warn-ink">
      <Unplug aria-hidden className="size-4 shrink-0" />
      <p>
        The service does not answer. It last answered <RelativeTime at={since} />; you see the state of that moment.{' '}
        {desktop === undefined ? (
          <>
            Reconnecting automatically; if the service was stopped, start it with <Typed command="drydock start" />.
          </>
        ) : (
          'Drydock restarts the service if it has ended, and reconnects.'
        )}
      </p>
    </div>
  )
}

type PageErrorBoundaryProps = { readonly path: string; readonly children: ReactNode }

type PageErrorBoundaryState = { readonly error: Error | undefined }

/** Keeps the frame when a page fails, so that other pages stay reachable. */
class PageErrorBoundary extends Component<PageErrorBoundaryProps, PageErrorBoundaryState> {
  override state: PageErrorBoundaryState = { error: undefined }

  static getDerivedStateFromError(error: unknown): PageErrorBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidUpdate(before: PageErrorBoundaryProps) {
    if (before.path !== this.props.path && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const reload = <Button onClick={() => location.reload()}>Reload</Button>
    return (
      <Page crumbs={[{ name: 'This page failed' }]}>
        <ErrorNotice
          error={`The page could not be shown: ${error.message}. Reload it; if that does not help, report its address and this text.`}
          action={reload}
        />
      </Page>
    )
  }
}

const ShortcutSheet = lazy(() =>
  loadCode(() => import('./ShortcutSheet.tsx')).then((loaded) => ({ default: loaded.ShortcutSheet })),
)

type Overlay = 'palette' | 'shortcuts'
type OverlayProps = { readonly onClose: () => void }

function Overlays() {
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

// Preloaded in the background: `lazy` would show it 300 ms late, past the first typed letters. Failures are retried on
// demand.
function usePalette(isWanted: boolean): ComponentType<OverlayProps> | undefined {
  const [palette, setPalette] = useState<ComponentType<OverlayProps>>()
  const isThere = palette !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again when it is wanted
  useEffect(() => {
    if (isThere) return
    loadCode(() => import('./Palette.tsx')).then(
      ({ Palette }) => setPalette(() => Palette),
      () => undefined,
    )
  }, [isThere, isWanted])
  return palette
}
