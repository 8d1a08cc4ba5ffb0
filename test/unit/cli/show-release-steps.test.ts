import { expect, test } from 'vitest'
import { showReleaseSteps } from '../../../src-main/cli/deploy/show-release.ts'
import { createOutput } from '../../../src-main/cli/output.ts'
import type { ReleaseStep } from '../../../src-main/contract/app.ts'

test('without a terminal, the steps of an image that endpoints share are printed once', () => {
  let text = ''
  const stdout = {
    isTTY: false,
    write: (piece: string) => {
      text += piece
    },
  }
  const output = createOutput({ stdout, stderr: stdout, env: { NO_COLOR: '1' } } as never, false)
  const shown = showReleaseSteps(output, { stdout } as never)
  const step = (resource: string, note?: string) =>
    ({ resource, action: 'create', state: 'starting', ...(note === undefined ? {} : { note }) }) as ReleaseStep
  const report = (note: string) => shown.report([step('api', note), step('work', note)])
  report('pulling app:1, 10 of 90 MB on boxa')
  report('pulling app:1, 20 of 90 MB on boxa')
  report('unpacking app:1 on boxa')
  shown.report([{ ...step('api'), state: 'ready' }, step('work', 'unpacking app:1 on boxa')])
  expect(text).toBe(
    [
      '· api   starting   pulling app:1, 10 of 90 MB on boxa',
      '· work  starting',
      '· api   starting   unpacking app:1 on boxa',
      '✓ api   ready',
      '',
    ].join('\n'),
  )
})
