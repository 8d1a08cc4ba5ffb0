import { bindOperations } from '../../http/operation.ts'
import type { FeatureCore } from '../service-context.ts'
import { createLoadTests } from './load-tests.ts'
import { LOAD_TEST_OPERATIONS } from './routes.ts'

export function openFeature(core: FeatureCore) {
  const loadTests = createLoadTests({ ...core, url: () => core.info().url })
  const { begin: start, close: stop } = loadTests
  return { operations: bindOperations(LOAD_TEST_OPERATIONS, { ...core, loadTests }), start, stop }
}
