import { type FillRandom, randomWhole } from '../../../../src-main/domain/workflow/settle/random-whole.ts'

const browserChance: FillRandom = (bytes) => void crypto.getRandomValues(bytes)

/** A whole number by the chance of the browser, exact at any size. @param least @param most both included */
export const randomBetween = (least: bigint, most: bigint): bigint => randomWhole([least, most], browserChance)
