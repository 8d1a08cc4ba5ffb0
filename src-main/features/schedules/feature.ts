import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { SCHEDULE_OPERATIONS } from './routes.ts'
import { createSchedules } from './schedules.ts'

export function openFeature(core: FeatureCore) {
  const schedules = createSchedules(core)
  const { start, stop } = schedules
  return { operations: bindOperations(SCHEDULE_OPERATIONS, { ...core, schedules }), start, stop }
}
