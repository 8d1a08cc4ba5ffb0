import './styles/main.css'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { isSignedOut } from './api-client/api-error.ts'
import { createApiClient } from './api-client/client.ts'
import { keepPageKey, sendPageKey, withPageKey } from './api-client/page-key.ts'
import { App } from './app/App.tsx'
import { loadPage, sectionOf } from './app/Pages.tsx'
import { showDesktopNotices, showTheme } from './app/store-effects.ts'
import { browserPlatform } from './browser/platform.ts'
import { connectStreams } from './browser/streams.ts'
import { followEvents } from './live/follow-events.ts'
import { LiveConnection } from './live/keep-live.ts'
import { liveQueries } from './live/live-queries.ts'
import { createAppStore } from './store/app-store.ts'

// Otherwise Zod tests whether it may compile schemas; the policy of the pages forbids that, and the browser reports it.
z.config({ jitless: true })

const platform = browserPlatform(window)
const store = createAppStore(platform)
keepPageKey(window)
const connect = connectStreams(window, (address) => new EventSource(withPageKey(address)))
const client = createApiClient({ fetch: (address, init) => fetch(address, sendPageKey(init)), connect, platform })
const queries = new QueryClient({
  // The service is on this machine, so it answers while the browser is offline.
  defaultOptions: {
    queries: { retry: false, staleTime: 1000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onError(error) {
      if (isSignedOut(error)) store.getState().setConnection('signed-out', platform.now())
    },
  }),
})
const live = new LiveConnection({ client, store, platform, connect })

showTheme(store, document.documentElement)
followEvents(store, liveQueries(queries, platform))
live.start()
showDesktopNotices(platform.desktop, store)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the app')
// Loaded before the first render, so that the page appears at once; if it fails, the page says so.
const first = await loadPage(sectionOf(location.pathname) ?? 'endpoints').catch(() => ({}))
createRoot(root).render(
  createElement(StrictMode, null, createElement(App, { services: { store, client, platform }, queries, first })),
)
