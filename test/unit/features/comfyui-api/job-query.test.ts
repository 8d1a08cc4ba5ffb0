import { expect, it } from 'vitest'
import { readJobQuery } from '../../../../src-main/features/comfyui-api/rules/job-query.ts'

it('lists all, newest first, without filters', () => {
  expect(readJobQuery({})).toEqual({
    states: ['pending', 'in_progress', 'completed', 'failed', 'cancelled'],
    ...{ isByDuration: false, isAscending: false, limit: undefined, offset: 0 },
  })
})

it('reads filters in any case and with spaces', () => {
  const query = {
    status: ' Pending,, FAILED',
    sort_by: 'Execution_Duration',
    sort_order: 'ASC',
    limit: '5',
    offset: '-1',
  }
  expect(readJobQuery(query)).toEqual({
    ...{ states: ['pending', 'failed'], isByDuration: true, isAscending: true, limit: 5, offset: 0 },
  })
})

it.each([
  [{ status: 'done,pending' }, 'Invalid status value(s): done.'],
  [{ sort_by: 'name' }, 'sort_by'],
  [{ sort_order: 'up' }, 'sort_order'],
  [{ limit: '0' }, 'positive'],
  [{ limit: 'x' }, 'limit must be an integer'],
  [{ offset: '1.5' }, 'offset must be an integer'],
])('refuses %j', (query, error) => {
  expect(readJobQuery(query)).toEqual({ error: expect.stringContaining(error) })
})
