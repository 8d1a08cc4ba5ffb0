import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useAppState } from '../../store/app-context.ts'

/**
 * Asks for apps and environments again when endpoints of apps come, change their code or go. The live state tells of it at
 * once, so that both halves of a page agree.
 */
export function useFreshApps(): void {
  const queries = useQueryClient()
  const members = useAppState(({ live }) =>
    Object.values(live.endpoints)
      .flatMap(({ id, app }) => (app === undefined ? [] : `${id} ${app.code} ${app.variables}`))
      .sort()
      .join('\n'),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks when they change
  useEffect(() => {
    for (const queryKey of [['apps'], ['environment']]) void queries.invalidateQueries({ queryKey })
  }, [queries, members])
}
