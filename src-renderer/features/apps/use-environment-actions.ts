import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ReleaseCreate, ReleaseSource, VariablesUpdate } from '../../../src-main/contract/app.ts'
import type { AppTarget } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'

/** What can be done with an environment. Each tells why it did not work. */
export type EnvironmentActions = {
  /** @returns the number of the release; undefined: it was refused */
  readonly release: (
    source: ReleaseSource,
    more?: Partial<Pick<ReleaseCreate, 'deletes' | 'git' | 'machine' | 'runsOn'>>,
  ) => Promise<number | undefined>
  /** @returns whether it is being given up */
  readonly cancelRelease: (number: number) => Promise<boolean>
  /** @returns whether they are stored */
  readonly changeVariables: (changes: Partial<VariablesUpdate>) => Promise<boolean>
  /** @returns whether its endpoints are gone */
  readonly undeploy: () => Promise<boolean>
  /** @returns whether it is gone */
  readonly remove: () => Promise<boolean>
  /** Deletes the whole app. @returns whether it is gone */
  readonly removeApp: () => Promise<boolean>
}

/** The actions of an environment. */
export function useEnvironmentActions({ app, environment }: AppTarget): EnvironmentActions {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return useMemo(() => {
    const { notify } = store.getState()
    const path = { app, environment }

    /** Calls; afterwards what the pages know of the app is asked for again. */
    async function attempt<T>(work: () => Promise<T>, done?: string): Promise<T | undefined> {
      try {
        const result = await work()
        if (done !== undefined) notify({ kind: 'done', text: done })
        return result
      } catch (error) {
        notify({ kind: 'error', text: (error as Error).message })
        return undefined
      } finally {
        for (const queryKey of [['apps'], ['environment', app, environment]])
          void queries.invalidateQueries({ queryKey })
      }
    }
    const name = `${app}/${environment}`

    return {
      async release(source, more = {}) {
        const body = { source, ...more }
        const progress = await attempt(() => client.call('releaseCreate', { path, body }))
        if (progress === undefined) return undefined
        const { number } = progress.release
        queries.setQueryData(['release', app, environment, number], progress)
        return number
      },
      async cancelRelease(number) {
        const call = () => client.call('releaseCancel', { path: { ...path, number: String(number) } })
        return (await attempt(call)) !== undefined
      },
      async changeVariables(body) {
        const result = await attempt(() => client.call('variablesUpdate', { path, body }))
        if (result?.changed === false)
          notify({ kind: 'done', text: 'Nothing changed: the value is the same as before.' })
        return result !== undefined
      },
      undeploy: async () =>
        (await attempt(() => client.call('environmentUndeploy', { path }), `The endpoints of ${name} are deleted.`)) !==
        undefined,
      remove: async () =>
        (await attempt(() => client.call('environmentDelete', { path }), `${name} is deleted.`)) !== undefined,
      removeApp: async () =>
        (await attempt(() => client.call('appDelete', { path: { app } }), `${app} is deleted.`)) !== undefined,
    }
  }, [client, store, queries, app, environment])
}
