import { expect, test } from 'vitest'
import { isolatingOption } from '../../../../src-main/features/workers/rules/isolated-python.ts'

test.each([
  ['python3 -I worker.py', '-I'],
  ['/opt/env/bin/python3.12 -u -E worker.py', '-E'],
  ['nice python -uI worker.py', '-uI'],
  ['python3 worker.py -I', undefined],
  ['python3 -m pkg -E', undefined],
  ['python3 -u worker.py', undefined],
  ['mypython -I x', undefined],
  ['node -I x', undefined],
])('%s', (command, option) => {
  expect(isolatingOption(command)).toBe(option)
})
