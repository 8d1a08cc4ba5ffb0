import { existsSync } from 'node:fs'
import { createAppPlacer } from '../../app-builder/create-app-builder.ts'
import { type BuildEvent, BuildFailure, type BuiltApp } from '../../contract/build.ts'
import type { whatToBuild } from '../build-app.ts'
import type { Output } from '../output.ts'
import { showBuildSteps } from '../show-build-steps.ts'
import type { Surroundings } from '../surroundings.ts'

/**
 * Makes what builds an app into one folder after the other. The first build shows its steps, and later ones only that
 * packages are installed: a save is over before a person has read of more.
 */
export function buildIntoFolders(
  wanted: ReturnType<typeof whatToBuild>,
  output: Output,
  surroundings: Surroundings,
): (folder: string, signal: AbortSignal) => Promise<BuiltApp> {
  const { project } = wanted
  const place = createAppPlacer({ env: surroundings.env })
  let isFirst = true
  return async (folder, signal) => {
    if (!existsSync(project)) throw new BuildFailure([{ code: 'PROJECT_GONE', message: `${project} is not there.` }])
    const steps = showBuildSteps(output, surroundings)
    const tell = isFirst ? steps.tell : onlyInstalling(steps.tell)
    isFirst = false
    try {
      return await place({ ...wanted, output: folder }, tell, signal)
    } finally {
      steps.end()
    }
  }
}

function onlyInstalling(tell: (event: BuildEvent) => void): (event: BuildEvent) => void {
  let installs = false
  return (event) => {
    installs ||= event.kind === 'progress'
    if (installs && event.step === 'install') tell(event)
  }
}
