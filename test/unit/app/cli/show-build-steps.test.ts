import { expect, test } from 'vitest'
import { createOutput } from '../../../../src-main/app/cli/output.ts'
import type { BuildEvent } from '../../../../src-main/contract/build.ts'
import { showBuildSteps } from '../../../../src-main/features/apps/commands/build-app.ts'

const EVENTS: readonly BuildEvent[] = [
  { kind: 'started', step: 'install' },
  { kind: 'progress', step: 'install', text: 'Downloading a-very-long-name-1.0-py3-none-any.whl' },
  { kind: 'ended', step: 'install', tookMs: 1450, summary: '2 packages' },
]

/** What is written while a build runs. */
function shown({ json = false, isTTY = false } = {}): string {
  let text = ''
  const stdout = {
    isTTY,
    columns: 40,
    write: (piece: string) => {
      text += piece
    },
  }
  const output = createOutput({ stdout, stderr: stdout, env: { NO_COLOR: '1' } } as never, json)
  const steps = showBuildSteps(output, { stdout })
  for (const event of EVENTS) steps.report(event)
  steps.end()
  return text
}

const LINE = '✓ install           1.4 s  2 packages\n'

test('each step is a line with its time', () => {
  expect(shown()).toBe(LINE)
})

test('a terminal also shows what goes on, within its width, and is left clean', () => {
  const pieces = shown({ isTTY: true }).split('\r\x1b[2K')
  expect(pieces).toEqual(['', '  install ...', '  install       Downloading a-very-long', LINE, ''])
})

test('machine output has no lines', () => {
  expect(shown({ json: true, isTTY: true })).toBe('')
})
