import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type PreviewView, type ProjectView, previewView } from '../../../../../src-main/contract/projects.ts'
import { previewQuery } from '../../../../api-client/app-queries.ts'
import { useApp } from '../../../../store/app-context.ts'
import { type Followed, useFollowed } from '../../use-followed.ts'
import { showInProject } from '../show-in-project.ts'

/** The newest preview of a project, and what can be done with it. */
export type ProjectPreview = {
  /** null: none yet; undefined: not known yet. */
  readonly preview: PreviewView | null | undefined
  readonly error: Error | null
  readonly start: () => void
  readonly stop: () => void
  /** Opens a page of its own service in a window of its own, signed in; without an address the first one. */
  readonly openPages: (address?: string) => Promise<void>
}

const isEnded = ({ state }: PreviewView) => state === 'ended'

/** The newest preview, followed while it runs. */
export function usePreview({ id: projectId, preview: known }: Pick<ProjectView, 'id' | 'preview'>): ProjectPreview {
  const { client, store, platform } = useApp()
  const queries = useQueryClient()
  // Where there is none the service is not asked for it: browsers report each answer 404.
  const isThere = known !== undefined
  const { data = isThere ? undefined : null, error } = useQuery({
    ...previewQuery(client, projectId),
    enabled: isThere,
  })
  const goesOn = data != null && !isEnded(data)
  const path = useMemo(() => ({ projectId }), [projectId])
  const followed = useMemo((): Followed<PreviewView> | undefined => {
    if (!goesOn) return undefined
    return {
      operation: 'previewRead',
      path,
      event: 'preview',
      schema: previewView,
      queryKey: ['preview', path.projectId],
      isLast: isEnded,
      onItem: ({ state }) => showInProject(queries, path.projectId, { preview: state }),
    }
  }, [goesOn, path, queries])
  useFollowed(followed)
  const show = (view: PreviewView) => {
    queries.setQueryData(['preview', projectId], view)
    showInProject(queries, projectId, { preview: view.state })
  }
  const tellFault = (fault: Error) => void store.getState().tell({ kind: 'error', text: fault.message })
  const start = useMutation({
    mutationFn: () => client.call('previewStart', { path }),
    onSuccess: show,
    onError: tellFault,
  })
  const stop = useMutation({
    mutationFn: () => client.call('previewStop', { path }),
    onSuccess: show,
    onError: tellFault,
  })
  return {
    preview: shown(data, { starts: start.isPending, stops: stop.isPending }),
    error,
    start: start.mutate,
    stop: stop.mutate,
    openPages: (address) =>
      client.call('previewLink', { path }).then(({ url }) => {
        const link = new URL(url)
        if (address !== undefined) link.searchParams.set('to', address)
        platform.openWindow(link.href)
      }, tellFault),
  }
}

type Asked = { readonly starts: boolean; readonly stops: boolean }

// A click shows before the service answers.
function shown(view: PreviewView | null | undefined, { starts, stops }: Asked): PreviewView | null | undefined {
  if (starts) return STARTING
  return stops && view != null ? { ...view, state: 'stopping' } : view
}

const STARTING: PreviewView = {
  state: 'starting',
  startedAt: 0,
  steps: [],
  endpoints: [],
  problems: [],
  notes: [],
}
