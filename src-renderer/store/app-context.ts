import { createContext, use } from 'react'
import { useStore } from 'zustand'
import type { ApiClient } from '../api-client/client.ts'
import type { Platform } from '../browser/platform.ts'
import type { AppState, AppStore } from './app-store.ts'

export type AppServices = { readonly store: AppStore; readonly client: ApiClient; readonly platform: Platform }

export const AppContext = createContext<AppServices | undefined>(undefined)

export function useApp(): AppServices {
  const services = use(AppContext)
  if (services === undefined) throw new Error('a component is used outside of the pages')
  return services
}

/** A selection of the store; rerenders when it changes. Select little: a value or an entity. */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select)
}

/** Does what a user asked for. If it fails, a notice says so: `problem`, then why. */
export async function tried<Result>(
  { store }: Pick<AppServices, 'store'>,
  problem: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    store.getState().notify({ kind: 'error', text: `${problem}: ${(error as Error).message}` })
    return undefined
  }
}
