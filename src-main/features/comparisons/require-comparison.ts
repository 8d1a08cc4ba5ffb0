import { AppError } from '../../contract/errors.ts'
import type { Comparison, Storage } from '../../storage/storage.ts'

export function requireComparison({ comparisons }: Pick<Storage, 'comparisons'>, id: string): Comparison {
  const found = comparisons.get(id)
  if (found === undefined) throw new AppError('COMPARISON_NOT_FOUND', { comparisonId: id.slice(0, 100) })
  return found
}
