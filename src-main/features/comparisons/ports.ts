import type { ComparisonRules } from '../../contract/compare.ts'
import type { Problem } from '../../lib/in-thread.ts'
import type { Json } from '../../lib/json/bytes.ts'
import type { Compared } from './rules/outputs.ts'
import type { FileItem } from './rules/plan.ts'

export type StoredOutput = {
  readonly status: string
  readonly error: string | undefined
  readonly output: Json | undefined
  readonly chunks: readonly string[]
}

export type Comparer = {
  /** @returns a problem if it takes too long or too much memory */
  readonly compare: (pair: readonly [StoredOutput, StoredOutput], rules: ComparisonRules) => Promise<Compared | Problem>
  readonly readItems: (text: string) => Promise<readonly FileItem[] | Problem>
  readonly release: () => Promise<void>
  readonly stop: () => Promise<void>
}
