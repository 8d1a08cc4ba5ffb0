import { expect, test } from 'vitest'
import type { JobHistoryEntry } from '../../../../src-main/contract/management.ts'
import { lostMachineReason, startedAgain } from '../../../../src-main/features/jobs/rules/lost-machine.ts'

const entry = (event: string, attempt: number, reason?: string): JobHistoryEntry => ({
  ...{ at: 1, event, to: 'IN_PROGRESS', attempt },
  ...(reason === undefined ? {} : { reason }),
})
const lost = (machine: string, node?: string) => entry('release', 1, lostMachineReason(machine, node))

test.each([
  ['one that ran once', [entry('claim', 1)], undefined],
  ['one that waits for its second start', [entry('claim', 1), lost('a')], undefined],
  [
    'one whose worker was stopped',
    [entry('claim', 1), entry('release', 1, 'was stopped'), entry('claim', 2)],
    undefined,
  ],
  [
    'one that started again elsewhere',
    [entry('claim', 1), lost('a'), entry('claim', 2)],
    'Started twice: a was lost. Its handler may have run more than once.',
  ],
  [
    'one that lost a node of a swarm',
    [entry('claim', 1), lost('lab', 'n2'), entry('claim', 2)],
    'Started twice: n2 of lab was lost. Its handler may have run more than once.',
  ],
  [
    'one that lost two machines',
    [entry('claim', 1), lost('a'), entry('claim', 2), lost('b'), entry('claim', 3)],
    'Started 3 times: a and b were lost. Its handler may have run more than once.',
  ],
])('of %s is said how often it started', (_what, history, text) => {
  expect(startedAgain(history)).toBe(text)
})
