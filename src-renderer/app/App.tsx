import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Tooltip } from 'radix-ui'
import { useLocation } from 'wouter'
import { AppContext, type AppServices, useAppState } from '../store/app-context.ts'
import { Frame } from './Frame.tsx'
import { PageFault } from './PageFault.tsx'
import { Pages } from './Pages.tsx'
import type { LoadedPages } from './page-loaders.ts'
import { SignedOut } from './SignedOut.tsx'

/** Everything that the pages share. */
export type AppProps = {
  readonly services: AppServices
  readonly queries: QueryClient
  /** The page of the address, loaded before. */
  readonly first: LoadedPages
}

const TOOLTIP_AFTER_MS = 400

/** The pages. */
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
      <PageFault path={path}>
        <Pages first={first} />
      </PageFault>
    </Frame>
  )
}
