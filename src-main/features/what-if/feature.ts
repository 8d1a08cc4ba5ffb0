import { bindOperations } from '../../http/operation.ts'
import { readPrices } from '../../shipped-files/resources.ts'
import type { FeatureCore } from '../service-context.ts'
import { answerBeside } from './adapters/answer-what-if.ts'
import { WHAT_IF_OPERATIONS } from './routes.ts'
import { createWhatIf } from './what-if.ts'

export function openFeature(core: FeatureCore) {
  const whatIf = createWhatIf({ ...core, answer: answerBeside })
  return { operations: bindOperations(WHAT_IF_OPERATIONS, { ...core, whatIf, readPrices }), stop: whatIf.stop }
}
