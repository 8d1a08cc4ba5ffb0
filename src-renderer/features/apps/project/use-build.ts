import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  type BuildView,
  buildView,
  type ProjectDetail,
  type ProjectView,
} from '../../../../src-main/contract/projects.ts'
import { buildQuery, projectsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { useFollowed } from '../../../ui/use-followed.ts'
import { useTell } from '../../../ui/use-tell.ts'

// Early enough to see a build's first steps; ms.
const WATCH_EVERY_MS = 300

export function useBuild(
  { id: projectId, build: known }: Pick<ProjectView, 'id' | 'build'>,
  { watches = false }: { readonly watches?: boolean } = {},
) {
  const { client } = useApp()
  const { failed } = useTell()
  const queries = useQueryClient()
  // The list shows whether one exists; browsers would log a 404 otherwise.
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
  const path = { projectId }
  useFollowed<BuildView>(shown === 'running', {
    operation: 'buildRead',
    path,
    event: 'build',
    schema: buildView,
    queryKey: ['build', projectId],
    isLast: ({ state }) => state !== 'running',
    onItem: ({ state }) => showInProject(queries, projectId, { build: state }),
  })
  const show = (view: BuildView) => {
    queries.setQueryData(['build', projectId], view)
    showInProject(queries, projectId, { build: view.state })
  }
  const start = useMutation({
    mutationFn: (exclude: readonly string[]) => client.call('projectBuild', { path, body: { exclude } }),
    onSuccess: show,
    onError: failed,
  })
  const cancel = useMutation({
    mutationFn: () => client.call('buildCancel', { path }),
    onSuccess: show,
    onError: failed,
  })
  return {
    /** null: none yet; undefined: not known yet. */
    build: start.isPending ? STARTING : data,
    error,
    start: start.mutate,
    cancel: cancel.mutate,
  }
}

// Placeholder build that is shown from the click until the service answers.
const STARTING: BuildView = {
  state: 'running',
  startedAt: 0,
  steps: [],
  problems: [],
  warnings: [],
}

export type Excludes = ReturnType<typeof useExcludes>

export function useExcludes(projectId: string) {
  const { platform } = useApp()
  const preference = `exclude.${projectId}`
  const [names, setNames] = useState(() => readNames(platform.readPreference(preference)))
  const save = (next: readonly string[]) => {
    platform.writePreference(preference, next.join(','))
    setNames(next)
  }
  return {
    names,
    add: (name: string) => save([...names.filter((one) => one !== name), name]),
    remove: (name: string) => save(names.filter((one) => one !== name)),
  }
}

function readNames(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').filter((name) => name !== '')
}

export function showInProject(
  queries: QueryClient,
  projectId: string,
  change: Pick<ProjectView, 'build'> | Pick<ProjectView, 'preview'>,
): void {
  queries.setQueryData<ProjectDetail>(['project', projectId], (project) => project && { ...project, ...change })
  void queries.invalidateQueries({ queryKey: ['projects'] })
}
