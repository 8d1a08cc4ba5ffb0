import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { createProjects } from './projects.ts'
import { PROJECT_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const projects = createProjects({ ...core, ports: core.projects })
  return {
    operations: bindOperations(PROJECT_OPERATIONS, { ...core, projects }),
    stop: projects.stop,
    stops: 'with the workers' as const,
  }
}
