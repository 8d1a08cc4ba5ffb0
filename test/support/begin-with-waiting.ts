import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Folders whose files wait longest for machines, containers and installers.
const WAITING = ['machines', 'sdk', 'docker', 'e2e', 'apps', 'build', 'preview', 'conformance']

/**
 * Orders test files: those that wait long begin first, so that short ones fill the cores meanwhile and none of them runs
 * on alone at the end. Files that share a process stay together, last.
 */
export class BeginWithWaiting extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      if (!project.config.isolate) return WAITING.length + 1
      const [, folder = ''] = relative(project.vitest.config.root, moduleId).split(/[\\/]/)
      const place = WAITING.indexOf(folder)
      return place === -1 ? WAITING.length : place
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
