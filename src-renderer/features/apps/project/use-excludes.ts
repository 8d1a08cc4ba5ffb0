import { useState } from 'react'
import { useApp } from '../../../store/app-context.ts'

/** Packages that builds of a project leave out: chosen on this machine, for builds and deploys from these pages. */
export type Excludes = {
  readonly names: readonly string[]
  readonly add: (name: string) => void
  readonly remove: (name: string) => void
}

/** The packages that are left out; they are kept in the preferences. */
export function useExcludes(projectId: string): Excludes {
  const { platform } = useApp()
  const preference = `exclude.${projectId}`
  const [names, setNames] = useState(() => readNames(platform.readPreference(preference)))
  const keep = (next: readonly string[]) => {
    platform.writePreference(preference, next.join(','))
    setNames(next)
  }
  return {
    names,
    add: (name) => keep([...names.filter((one) => one !== name), name]),
    remove: (name) => keep(names.filter((one) => one !== name)),
  }
}

function readNames(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').filter((name) => name !== '')
}
