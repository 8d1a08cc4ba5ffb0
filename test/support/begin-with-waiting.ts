import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Folders whose test files wait longest for machines, containers and installers, slowest first.
const SLOWEST_FOLDERS = ['machines', 'sdk', 'docker', 'e2e', 'apps', 'build', 'preview', 'conformance', 'desktop']

/** Starts the slowest test files first, so that none of them still runs alone at the end. */
export class BeginWithWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const [, folder = ''] = relative(project.vitest.config.root, moduleId).split(/[\\/]/)
      const place = SLOWEST_FOLDERS.indexOf(folder)
      return place === -1 ? SLOWEST_FOLDERS.length : place
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
