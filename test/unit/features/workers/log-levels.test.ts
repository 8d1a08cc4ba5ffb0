import { expect, test } from 'vitest'
import { readLogLine } from '../../../../src-main/features/workers/rules/log-lines.ts'

test.each([
  ['SyntaxError: invalid syntax', 'ERROR'],
  ['torch.OutOfMemoryError: CUDA out of memory', 'ERROR'],
  ['Exception: no face', 'ERROR'],
  ['Uncaught TypeError [ERR_X]: bad', 'ERROR'],
  ['Traceback (most recent call last):', 'INFO'],
  ['Errors: 0', 'INFO'],
  ['no Error: here', 'INFO'],
  ['{"message": "ValueError: told", "level": "warn"}', 'WARN'],
])('%s has the level %s', (line, level) => {
  expect(readLogLine(line, 1000).level).toBe(level)
})
