import { useQueries, useQuery } from '@tanstack/react-query'
import { dependentsOfAll, dependentsText } from '../../../src-main/features/endpoints/rules/dependents.ts'
import { dependentsQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { deleteEffects } from './endpoint-state.ts'

export function useDeleteEffects(endpointId: string): string {
  const { client } = useApp()
  return deleteEffects(useQuery(dependentsQuery(client, endpointId)).data)
}

export function useBreaks(endpointIds: readonly string[]): string | undefined {
  const { client } = useApp()
  const all = useQueries({ queries: endpointIds.map((id) => dependentsQuery(client, id)) })
  return dependentsText(
    dependentsOfAll(
      endpointIds,
      all.flatMap(({ data }) => data ?? []),
    ),
  )
}
