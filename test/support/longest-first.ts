import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longer than a minute on two busy cores, the longest first. */
export const LONGEST = [
  // Nine minutes, one test after the other on one swarm, most of them spent waiting: it runs beside all others.
  'test/machines/swarm-workers.test.ts',
  'test/sdk/platform-tools.test.ts',
  'test/docker/own-build.test.ts',
  'test/docker/readme.test.ts',
  'test/e2e/readme.test.ts',
  'test/sdk/own-build.test.ts',
  'test/conformance/swarm-fleet.test.ts',
  'test/apps/deploy.test.ts',
  'test/docker/platform-tools.test.ts',
  'test/e2e/cli.test.ts',
  'test/sdk/public-worker.test.ts',
  'test/apps/project-previews.test.ts',
  'test/build/packages.test.ts',
  'test/preview/preview.test.ts',
  'test/docker/public-sdk.test.ts',
  'test/build/edge-cases.test.ts',
  'test/electron/main-process.test.ts',
  'test/docker/pages-workers.test.ts',
  'test/docker/package-image.test.ts',
  'test/pages/requests.test.ts',
  'test/pages/apps-projects.test.ts',
  'test/pages/apps.test.ts',
  'test/pages/endpoints.test.ts',
]

/**
 * The order of test files. A long file that began as one of the last would run on alone, with one core at rest, and
 * Vitest knows only how long files took before, which a fresh clone does not. After the long ones projects take turns,
 * so that files that keep the processor busy run beside files that wait; files that share a worker stay together, at
 * the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = Map.groupBy(sorted, ({ project }) => project.name)
    const rank = (file: TestSpecification) => {
      const { moduleId, project } = file
      const place = LONGEST.indexOf(relative(project.vitest.config.root, moduleId).replaceAll('\\', '/'))
      if (place !== -1) return place - LONGEST.length
      if (!project.config.isolate) return 1
      const ofProject = projects.get(project.name) ?? []
      return ofProject.indexOf(file) / ofProject.length
    }
    const ranks = new Map(sorted.map((file) => [file, rank(file)]))
    return sorted.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0))
  }
}
