import { expect, test } from 'vitest'
import { nodeErrorLine, readNodeError, writeNodeError } from '../../../../src-main/features/jobs/rules/node-error.ts'
import { errorText, readJobError } from '../../../../src-main/features/jobs/rules/read-error.ts'

const WRITTEN = {
  ...{ message: 'Job processing failed: ...', node: '3', title: 'First pass', class: 'KSampler', input: 'seed' },
  ...{ reason: 'must be at least 0', traceback: 'Traceback (most recent call last):\n  File "/x.py", line 1, in f\n' },
}

test('an error at a node is reported with its class, title, id and input, and its traceback apart', () => {
  const error = JSON.stringify(WRITTEN)
  const line = 'KSampler "First pass" (3), seed: must be at least 0'
  expect(readJobError(error)).toMatchObject({ message: line, traceback: WRITTEN.traceback, node: { node: '3' } })
  expect(errorText(error)).toBe(`${line}\n${WRITTEN.traceback.trimEnd()}`)
})

test.each([
  ['{"message":"no","node":7}', 'Node 7: no'],
  ['{"message":"no","node":"7","title":"Mine"}', '"Mine" (7): no'],
  [
    'Workflow execution error: Node Type: LoadImage, Node ID: 57:8, Message: no, Message: \n',
    'LoadImage (57:8): no, Message:',
  ],
  [
    'Job processing failed: Workflow execution error: Node Type: KSampler, Node ID: 3, Message: no\nmemory',
    'KSampler (3): no\nmemory',
  ],
])('%s', (text, line) => {
  const error = readNodeError(text)
  expect(error && nodeErrorLine(error)).toBe(line)
})

test.each(['', 'no memory', '{"message":"no"}', '{"message":5,"node":"3"}', '{"node":"3"}', '{"mess', '[1]'])(
  '%s names no node',
  (text) => expect(readNodeError(text)).toBeUndefined(),
)

test('is written as it is read, and a long one keeps the end of its traceback', () => {
  const read = readNodeError(JSON.stringify(WRITTEN))
  if (read === undefined) throw new Error('not read')
  expect(readNodeError(writeNodeError(read, 4000))).toEqual(read)
  const long = writeNodeError({ ...read, traceback: `${'"\n'.repeat(9000)}the end`, reason: 'r'.repeat(9000) }, 4000)
  expect(long.length).toBeLessThanOrEqual(4000)
  expect(readNodeError(long)).toMatchObject({ node: '3', traceback: expect.stringMatching(/the end$/) })
})
