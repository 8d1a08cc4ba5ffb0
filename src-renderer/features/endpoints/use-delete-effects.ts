import { useQuery } from '@tanstack/react-query'
import { dependentsQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { deleteEffects } from './endpoint-state.ts'

export function useDeleteEffects(endpointId: string): string {
  const { client } = useApp()
  return deleteEffects(useQuery(dependentsQuery(client, endpointId)).data)
}
