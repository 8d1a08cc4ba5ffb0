import { ignoreState } from '../build/build-folder.ts'
import { type ProjectChange, type ProjectListener, watchProject } from '../build/watch-project.ts'

export type { ProjectChange }

export async function watchApp(
  project: string,
  listener: Omit<ProjectListener, 'now'>,
): Promise<{ readonly close: () => void }> {
  await ignoreState(project) // a build writes it too, and would be reported as a change
  return watchProject(project, { ...listener, now: () => Date.now() })
}
