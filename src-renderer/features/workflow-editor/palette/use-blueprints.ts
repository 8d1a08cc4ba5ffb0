import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { read } from '../../../browser/read.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { useRuns } from '../store/editor-store.ts'
import type { Addable } from './addable-nodes.ts'

const FRESH_MS = 60_000

/** Subgraphs that the server of the chosen endpoint offers. */
export function useBlueprints(): readonly Addable[] {
  const { client } = useApp()
  const endpointId = useRuns((state) => state.endpointId) ?? ''
  const hasServer = useAppState(({ live }) => live.endpoints[endpointId]?.workflows?.server !== undefined)
  const { data } = useQuery({
    ...read(client, ['blueprints', endpointId], 'blueprintList', { path: { endpointId } }),
    ...{ enabled: hasServer, staleTime: FRESH_MS },
    refetchInterval: ({ state }) => (state.data?.fault === undefined ? false : FRESH_MS),
  })
  return useMemo(
    () => (data?.blueprints ?? []).map(({ id, name }) => ({ kind: 'blueprint', endpointId, id, name })),
    [data, endpointId],
  )
}
