import type { QueryClient } from '@tanstack/react-query'
import type { ProjectDetail, ProjectView } from '../../../../src-main/contract/projects.ts'

/** Shows in a project and in the list how its build or its preview is, until the service is asked again. */
export function showInProject(
  queries: QueryClient,
  projectId: string,
  change: Pick<ProjectView, 'build'> | Pick<ProjectView, 'preview'>,
): void {
  queries.setQueryData<ProjectDetail>(['project', projectId], (project) => project && { ...project, ...change })
  void queries.invalidateQueries({ queryKey: ['projects'] })
}
