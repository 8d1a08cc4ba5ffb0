import { expect, onTestFinished, test, vi } from 'vitest'
import { createOutput } from '../../../../src-main/app/cli/output.ts'
import type { BuildEvent } from '../../../../src-main/contract/build.ts'
import { showBuildSteps } from '../../../../src-main/features/apps/commands/build-app.ts'

const EVENTS: readonly BuildEvent[] = [
  { kind: 'started', step: 'install' },
  { kind: 'progress', step: 'install', text: 'Downloading a-very-long-name-1.0-py3-none-any.whl' },
  { kind: 'ended', step: 'install', tookMs: 1450, summary: '2 packages' },
]

/** The output of a build. */
function shown({ json = false, isTTY = false, installMs = 0 } = {}) {
  vi.useFakeTimers({ now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  let [text, notes] = ['', '']
  const stdout = {
    isTTY,
    columns: 40,
    write: (piece: string) => {
      text += piece
    },
  }
  const output = createOutput(
    { stdout, stderr: { write: (piece: string) => (notes += piece) }, env: { NO_COLOR: '1' } } as never,
    json,
  )
  const steps = showBuildSteps(output, { stdout, stderr: stdout, env: {}, now: Date.now } as never)
  for (const event of EVENTS) {
    if (event.kind === 'ended') vi.advanceTimersByTime(installMs)
    steps.report(event)
  }
  steps.end()
  vi.advanceTimersByTime(5000)
  return { text, notes }
}

const LINE = '✓ install           1.4 s  2 packages\n'

test('each step is a line with its time', () => {
  expect(shown().text).toBe(LINE)
})

test('a terminal also shows what goes on, within its width, and is left clean', () => {
  const pieces = shown({ isTTY: true }).text.split('\r\x1b[2K')
  expect(pieces).toEqual(['', '  install ...', '  install       Downloading a-very-long', LINE, ''])
})

test('a terminal shows the seconds of a step that takes long', () => {
  const pieces = shown({ isTTY: true, installMs: 2000 }).text.split('\r\x1b[2K')
  expect(pieces.slice(3, 5)).toEqual([
    '  install       1 s  Downloading a-very',
    '  install       2 s  Downloading a-very',
  ])
})

test('without a terminal stderr says that packages are installed', () => {
  expect(shown().notes).toBe('install ...\n')
  expect(shown({ isTTY: true }).notes).toBe('')
})

test('machine output has no lines', () => {
  expect(shown({ json: true, isTTY: true })).toEqual({ text: '', notes: '' })
})
