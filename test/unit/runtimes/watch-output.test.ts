import { appendFileSync, type FSWatcher, mkdtempSync, rmSync, type watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { watchRows } from '../../../src-main/features/system/adapters/folder-rows.ts'
import { watchOutput } from '../../../src-main/runtimes/process/watch-output.ts'
import { until } from '../../support/served-service.ts'

const refusal = () => Object.assign(new Error('no space left on device, watch'), { code: 'ENOSPC' })
const refuse = (() => {
  throw refusal()
}) as typeof watch

function setup(watchWith?: typeof watch) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const warnings: string[] = []
  let grown = 0
  const { isWatching, close } = watchOutput({
    folder,
    log: { warn: (message) => void warnings.push(message) },
    grew: () => {
      grown += 1
    },
    ...(watchWith === undefined ? {} : { watch: watchWith }),
  })
  onTestFinished(close)
  return { folder, isWatching, close, warnings, grown: () => grown }
}

it('output is noticed by a watch of the system', async () => {
  const { folder, warnings, isWatching, grown } = setup()
  appendFileSync(join(folder, 'a.log'), 'line\n')
  await until(() => expect(grown()).toBeGreaterThan(0))
  expect([isWatching(), warnings]).toEqual([true, []])
})

it('a system without watches left is no error, and is said', () => {
  const { warnings, isWatching } = setup(refuse)
  expect(isWatching()).toBe(false)
  expect(warnings).toHaveLength(1)
})

it('a watch that fails later is closed, and is said', () => {
  let fail = (_error: Error) => {}
  let closed = 0
  const watcher = {
    close: () => {
      closed += 1
    },
    on: (_event: string, listener: (error: Error) => void) => {
      fail = listener
    },
  } as unknown as FSWatcher
  const { warnings, isWatching } = setup((() => watcher) as unknown as typeof watch)
  expect(isWatching()).toBe(true)
  fail(refusal())
  expect([isWatching(), closed, warnings.length]).toEqual([false, 1, 1])
})

it('the doctor says so, and says nothing while there are watches', async () => {
  const { folder } = setup()
  expect(await watchRows(folder)).toEqual([])
  expect(await watchRows(folder, refuse)).toEqual([
    {
      check: 'file watches',
      state: 'warning',
      found: expect.stringContaining('(ENOSPC), so they are polled'),
      fix: expect.stringContaining('fs.inotify.max_user_watches'),
    },
  ])
})
