const STATES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const
const SORTS = ['created_at', 'execution_duration'] as const

type Query = Readonly<Record<string, string>>

export type JobQuery = {
  readonly states: readonly string[]
  readonly isByDuration: boolean
  readonly isAscending: boolean
  readonly limit: number | undefined
  readonly offset: number
}

export function readJobQuery(query: Query): JobQuery | { readonly error: string } {
  const lower = (name: string, otherwise: string) => (query[name] ?? otherwise).toLowerCase()
  const asked = lower('status', '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const unknown = asked.filter((one) => !(STATES as readonly string[]).includes(one))
  const [sortBy, order] = [lower('sort_by', 'created_at'), lower('sort_order', 'desc')]
  const [limit, offset] = [wholeNumber(query.limit), wholeNumber(query.offset)]
  if (unknown.length > 0)
    return { error: `Invalid status value(s): ${unknown.join(', ')}. Valid values: ${STATES.join(', ')}` }
  if (!(SORTS as readonly string[]).includes(sortBy))
    return { error: "sort_by must be 'created_at' or 'execution_duration'" }
  if (order !== 'asc' && order !== 'desc') return { error: "sort_order must be 'asc' or 'desc'" }
  if (limit === 'not a number') return { error: 'limit must be an integer' }
  if (limit !== undefined && limit <= 0) return { error: 'limit must be a positive integer' }
  if (offset === 'not a number') return { error: 'offset must be an integer' }
  return {
    states: asked.length === 0 ? STATES : asked,
    isByDuration: sortBy === 'execution_duration',
    isAscending: order === 'asc',
    ...{ limit, offset: Math.max(0, offset ?? 0) },
  }
}

function wholeNumber(text: string | undefined): number | undefined | 'not a number' {
  if (text === undefined) return undefined
  return /^\s*[+-]?\d{1,9}\s*$/.test(text) ? Number(text) : 'not a number'
}
