import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { type BuildView, buildView, type ProjectView } from '../../../../src-main/contract/projects.ts'
import { buildQuery, projectsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { type Followed, useFollowed } from '../use-followed.ts'
import { showInProject } from './show-in-project.ts'

/** The newest build of a project, and what can be done with it. */
export type ProjectBuild = {
  /** null: none yet; undefined: not known yet. */
  readonly build: BuildView | null | undefined
  readonly error: Error | null
  readonly start: (exclude: readonly string[]) => void
  readonly cancel: () => void
}

const isEnded = ({ state }: BuildView) => state !== 'running'

/** How a build is looked at. */
export type BuildOptions = {
  /** Another call may begin one, so it is looked for. */
  readonly watches?: boolean
}

// Soon enough that a build which begins is seen at its first steps; ms.
const WATCH_EVERY_MS = 300

/** The newest build, followed while it runs. */
export function useBuild(
  { id: projectId, build: known }: Pick<ProjectView, 'id' | 'build'>,
  { watches = false }: BuildOptions = {},
): ProjectBuild {
  const { client, store } = useApp()
  const queries = useQueryClient()
  // The list tells cheaply whether there is one. Who has none is not asked for it: browsers report each answer 404.
  const { data: list } = useQuery({
    ...projectsQuery(client),
    ...(watches ? { refetchInterval: WATCH_EVERY_MS } : {}),
  })
  const listed = list?.projects.find(({ id }) => id === projectId)?.build ?? known
  const isThere = listed !== undefined
  const { data = isThere ? undefined : null, error } = useQuery({ ...buildQuery(client, projectId), enabled: isThere })
  const shown = data?.state
  useEffect(() => {
    if (listed !== undefined && listed !== shown) void queries.invalidateQueries({ queryKey: ['build', projectId] })
  }, [queries, listed, shown, projectId])
  const goesOn = data?.state === 'running'
  const path = useMemo(() => ({ projectId }), [projectId])
  const followed = useMemo((): Followed<BuildView> | undefined => {
    if (!goesOn) return undefined
    return {
      operation: 'buildRead',
      path,
      event: 'build',
      schema: buildView,
      queryKey: ['build', path.projectId],
      isLast: isEnded,
      onItem: ({ state }) => showInProject(queries, path.projectId, { build: state }),
    }
  }, [goesOn, path, queries])
  useFollowed(followed)
  const show = (view: BuildView) => {
    queries.setQueryData(['build', projectId], view)
    showInProject(queries, projectId, { build: view.state })
  }
  const tellFault = (fault: Error) => store.getState().tell({ kind: 'error', text: fault.message })
  const start = useMutation({
    mutationFn: (exclude: readonly string[]) => client.call('projectBuild', { path, body: { exclude } }),
    onSuccess: show,
    onError: tellFault,
  })
  const cancel = useMutation({
    mutationFn: () => client.call('buildCancel', { path }),
    onSuccess: show,
    onError: tellFault,
  })
  return {
    build: start.isPending ? STARTING : data,
    error,
    start: start.mutate,
    cancel: cancel.mutate,
  }
}

// Shown from the click until the service answers.
const STARTING: BuildView = {
  state: 'running',
  startedAt: 0,
  steps: [],
  problems: [],
  warnings: [],
}
