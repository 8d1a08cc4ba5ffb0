import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ReleaseCreate, ReleaseSource, VariablesUpdate } from '../../../src-main/contract/app.ts'
import type { AppTarget } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'

export type EnvironmentActions = {
  readonly release: (
    source: ReleaseSource,
    more?: Partial<Pick<ReleaseCreate, 'deletes' | 'git' | 'machine' | 'runsOn'>>,
  ) => Promise<number | undefined>
  readonly cancelRelease: (number: number) => Promise<boolean>
  readonly changeVariables: (changes: Partial<VariablesUpdate>) => Promise<boolean>
  readonly undeploy: () => Promise<boolean>
  readonly remove: () => Promise<boolean>
  readonly removeApp: () => Promise<boolean>
}

export function useEnvironmentActions({ app, environment }: AppTarget): EnvironmentActions {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return useMemo(() => {
    const { notify } = store.getState()
    const path = { app, environment }

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
