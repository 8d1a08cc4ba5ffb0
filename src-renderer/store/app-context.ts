import { createContext, use } from 'react'
import { useStore } from 'zustand'
import type { ApiClient } from '../api-client/client.ts'
import type { Platform } from '../platform/platform.ts'
import type { AppState, AppStore } from './app-store.ts'

/** What components work with. */
export type AppServices = { readonly store: AppStore; readonly client: ApiClient; readonly platform: Platform }

/** Hands the services down. */
export const AppContext = createContext<AppServices | undefined>(undefined)

/** The services of the pages. */
export function useApp(): AppServices {
  const services = use(AppContext)
  if (services === undefined) throw new Error('a component is used outside of the pages')
  return services
}

/** What `select` takes out of the store; drawn again when it changes. Select little: a value or an entity. */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select)
}
