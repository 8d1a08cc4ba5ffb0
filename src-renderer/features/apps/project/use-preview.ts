import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type PreviewView, type ProjectView, previewView } from '../../../../src-main/contract/projects.ts'
import { previewQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { duration } from '../../../ui/format.ts'
import { useFollowed } from '../../../ui/use-followed.ts'
import { useTell } from '../../../ui/use-tell.ts'
import { showInProject } from './use-build.ts'

export type ProjectPreview = ReturnType<typeof usePreview>

const isEnded = ({ state }: PreviewView) => state === 'ended'

export function usePreview({ id: projectId, preview: known }: Pick<ProjectView, 'id' | 'preview'>) {
  const { client, platform } = useApp()
  const { failed } = useTell()
  const queries = useQueryClient()
  // Without one it is not fetched, as browsers would log a 404.
  const isThere = known !== undefined
  const { data = isThere ? undefined : null, error } = useQuery({
    ...previewQuery(client, projectId),
    enabled: isThere,
  })
  const path = { projectId }
  useFollowed(data != null && !isEnded(data), {
    operation: 'previewRead',
    path,
    event: 'preview',
    schema: previewView,
    queryKey: ['preview', projectId],
    isLast: isEnded,
    onItem: ({ state }) => showInProject(queries, projectId, { preview: state }),
  })
  const show = (view: PreviewView) => {
    queries.setQueryData(['preview', projectId], view)
    showInProject(queries, projectId, { preview: view.state })
  }
  const start = useMutation({
    mutationFn: () => client.call('previewStart', { path }),
    onSuccess: show,
    onError: failed,
  })
  const stop = useMutation({
    mutationFn: () => client.call('previewStop', { path }),
    onSuccess: show,
    onError: failed,
  })
  return {
    preview: shown(data, { starts: start.isPending, stops: stop.isPending }),
    error,
    start: start.mutate,
    stop: stop.mutate,
    openPages: (address?: string): Promise<void> =>
      client.call('previewLink', { path }).then(({ url }) => {
        const link = new URL(url)
        if (address !== undefined) link.searchParams.set('to', address)
        platform.openWindow(link.href)
      }, failed),
  }
}

type Asked = { readonly starts: boolean; readonly stops: boolean }

// Shows the effect of a click before the service answers.
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

type Note = PreviewView['notes'][number]

type NoteFilter = { readonly text: string; readonly endpoint: string | undefined }

export function filterNotes(notes: readonly Note[], { text, endpoint }: NoteFilter): readonly Note[] {
  const wanted = text.toLowerCase()
  return notes.filter(
    (note) =>
      (endpoint === undefined || note.endpoint === undefined || note.endpoint === endpoint) &&
      (wanted === '' || `${note.endpoint ?? ''} ${note.text}`.toLowerCase().includes(wanted)),
  )
}

export function endpointsOf(notes: readonly Note[]): readonly string[] {
  return [...new Set(notes.flatMap(({ endpoint }) => endpoint ?? []))].sort()
}

export function noteText({ kind, text, tookMs }: Note): string {
  if (kind !== 'live' || tookMs === undefined) return text
  return `Live in ${duration(tookMs)}: ${text.replace(/^Live: /, '')}`
}
