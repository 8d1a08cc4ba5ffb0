import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { createComparer } from './adapters/compare-outputs.ts'
import { createComparisons } from './comparisons.ts'
import { COMPARISON_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const comparisons = createComparisons({ ...core, comparer: createComparer() })
  const { start, close: stop } = comparisons
  return { operations: bindOperations(COMPARISON_OPERATIONS, { ...core, comparisons }), start, stop }
}
