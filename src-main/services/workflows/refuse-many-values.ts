import { AppError } from '../../contract/errors.ts'

// By the commas, so those of prompts count too. Source: ours; a graph of 5,000 nodes has 100,000 values, and as many as
// these are read in a quarter of a second, in which nobody else is answered.
const VALUES_MAX = 500_000

/**
 * Refuses JSON with more values than any graph has, before it is read without loss. Whoever has the key of an endpoint
 * may send it.
 * @throws AppError BAD_FIELD
 */
export function refuseManyValues(text: string, field: string): void {
  let count = 0
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    count += 1
    if (count > VALUES_MAX) throw new AppError('BAD_FIELD', { field, why: `has more than ${VALUES_MAX} values` })
  }
}
