import { ignoreState } from '../../features/apps/adapters/build-folder.ts'
import { type ProjectChange, type ProjectListener, watchProject } from '../../features/apps/adapters/watch-project.ts'

export type { ProjectChange }

export async function watchApp(
  project: string,
  listener: Omit<ProjectListener, 'now'>,
): Promise<{ readonly close: () => void }> {
  await ignoreState(project) // a build writes it too, and would be reported as a change
  return watchProject(project, { ...listener, now: () => Date.now() })
}
