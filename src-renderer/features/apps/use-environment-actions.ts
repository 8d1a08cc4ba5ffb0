import { useQueryClient } from '@tanstack/react-query'
import type { ReleaseCreate, ReleaseSource, VariablesUpdate } from '../../../src-main/contract/app.ts'
import type { AppTarget } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { useTell } from '../../ui/use-tell.ts'

/** Actions that tell their results; each but `release` returns whether it succeeded. */
export function useEnvironmentActions({ app, environment }: AppTarget) {
  const { client } = useApp()
  const queries = useQueryClient()
  const tell = useTell()
  const path = { app, environment }
  const name = `${app}/${environment}`

  async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
    const isDone = await tell.attempt(work, done)
    for (const queryKey of [['apps'], ['environment', app, environment]]) void queries.invalidateQueries({ queryKey })
    return isDone
  }

  return {
    /** @returns the number of the release; undefined if it was refused */
    async release(
      source: ReleaseSource,
      more: Partial<Pick<ReleaseCreate, 'deletes' | 'git' | 'machine' | 'runsOn'>> = {},
    ): Promise<number | undefined> {
      let number: number | undefined
      await attempt(async () => {
        const progress = await client.call('releaseCreate', { path, body: { source, ...more } })
        number = progress.release.number
        queries.setQueryData(['release', app, environment, number], progress)
      })
      return number
    },
    cancelRelease: (number: number) =>
      attempt(() => client.call('releaseCancel', { path: { ...path, number: String(number) } })),
    changeVariables: (body: Partial<VariablesUpdate>) =>
      attempt(async () => {
        const { changed } = await client.call('variablesUpdate', { path, body })
        if (changed === false) tell.done('Nothing changed: the value is the same as before.')
      }),
    undeploy: () =>
      attempt(() => client.call('environmentUndeploy', { path }), `The endpoints of ${name} are deleted.`),
    remove: () => attempt(() => client.call('environmentDelete', { path }), `${name} is deleted.`),
    removeApp: () => attempt(() => client.call('appDelete', { path: { app } }), `${app} is deleted.`),
  }
}
