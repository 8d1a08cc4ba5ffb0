import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type CodeFolders, codeFoldersOf } from '../../../src-main/domain/job/code-folders.ts'
import { useApp, useAppState } from '../../store/app-context.ts'

/** Where the code of an endpoint is on this machine; undefined: it is not known, as the endpoint is gone. */
export function useCodeFolders(endpointId: string): CodeFolders | undefined {
  const { client } = useApp()
  // A published graph has no workers of its own.
  const endpoint = useAppState(({ live: { endpoints } }) => {
    const own = endpoints[endpointId]
    return own?.graph === undefined ? own : endpoints[own.graph.behind]
  })
  const app = endpoint?.app?.name
  // The list of the pages of apps.
  const { data } = useQuery({
    queryKey: ['projects'],
    queryFn: ({ signal }) => client.call('projectList', { signal }),
    enabled: app !== undefined,
  })
  const project = data?.projects.find((one) => one.app === app && one.isThere)?.folder
  return useMemo(() => endpoint && codeFoldersOf(endpoint, project), [endpoint, project])
}
