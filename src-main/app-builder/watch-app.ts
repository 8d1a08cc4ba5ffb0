import { ignoreState } from '../build/build-folder.ts'
import { type ProjectChange, type ProjectListener, watchProject } from '../build/watch-project.ts'

export type { ProjectChange }

/** Watches the project of an app until it is closed. See build/watch-project.ts. */
export async function watchApp(
  project: string,
  listener: Omit<ProjectListener, 'now'>,
): Promise<{ readonly close: () => void }> {
  await ignoreState(project) // a build does that too, and would be reported as a change
  return watchProject(project, { ...listener, now: () => Date.now() })
}
