import { type ProjectChange, type ProjectListener, watchProject } from '../build/watch-project.ts'

export type { ProjectChange }

/** Watches the project of an app until it is closed. See build/watch-project.ts. */
export function watchApp(project: string, listener: Omit<ProjectListener, 'now'>): { readonly close: () => void } {
  return watchProject(project, { ...listener, now: () => Date.now() })
}
