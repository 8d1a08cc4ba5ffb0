import type { FillRandom } from '../../../../src-main/domain/workflow/settle/random-whole.ts'

/** The chance of the browser. */
export const browserChance: FillRandom = (bytes) => void crypto.getRandomValues(bytes)
