import type { DeployPlan, PlannedStep } from '../../../../src-main/contract/app.ts'

const ORDER: readonly PlannedStep['action'][] = ['create', 'update', 'unchanged', 'delete']

/** How many endpoints a deploy creates, updates and so on: `3 create, 1 delete`. */
export function countSteps({ steps }: Pick<DeployPlan, 'steps'>): string {
  const counts = ORDER.map((action) => ({ action, count: steps.filter((step) => step.action === action).length }))
  const texts = counts.filter(({ count }) => count > 0).map(({ action, count }) => `${count} ${action}`)
  return texts.length === 0 ? 'no endpoints' : texts.join(', ')
}
