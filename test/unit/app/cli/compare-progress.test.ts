import { expect, test } from 'vitest'
import { HELLO_VIEW, NOW, setupCli } from './support.ts'

const counts = { same: 0, differs: 0, failed: 0 }
const running = {
  id: 'c1',
  name: 'old, new',
  createdAt: NOW,
  rules: {},
  mode: 'compare',
  state: 'running',
  items: 4,
  rounds: [],
  versions: [
    { ...counts, name: 'old', endpoint: 'old', ended: 3 },
    { ...counts, name: 'new', endpoint: 'new', ended: 0 },
  ],
}
const counted = { item: 1, score: 1, count: 0, differences: [] }
const differing = { ...counted, source: 'line 1', version: 1, outcome: 'differs', reason: '1, not 2' }

test('a comparison says how many of all jobs have ended, why they wait, and what differs on which version', async () => {
  const { run } = await setupCli({
    'POST /api/comparisons': running,
    'GET /api/endpoints': {
      endpoints: [
        { ...HELLO_VIEW, id: 'old', waitingReason: 'A worker is starting.' },
        { ...HELLO_VIEW, id: 'new', waitingReason: 'It is paused.' },
      ],
    },
    'GET /api/comparisons/c1': { ...running, state: 'done', verdict: { result: 'differs', text: '1 differs.' } },
    'GET /api/comparisons/c1/rows': { rows: [differing], more: false },
  })
  const { stdout, stderr } = await run(['compare', 'old', 'new', '--ids', 'j1'])
  expect(stderr).toContain('3 of 8 jobs ended. old waits: A worker is starting. new waits: It is paused.\n')
  expect(stdout).toMatch(/^line 1 +new +/m)
})
