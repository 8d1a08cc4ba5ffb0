import { expect, test } from 'vitest'
import { appProject, workerPids } from './support.ts'

test('a deploy updates only endpoints that load a changed file, and rollback undoes it', async () => {
  const { service, deploy, edit, run, runsync, keepOnly } = await appProject()
  keepOnly('cpu_worker.py', 'pipeline.py', 'stream_worker.py')
  await deploy()
  const others = async () => {
    const { greet: _greet, welcome: _welcome, ...rest } = await workerPids(service)
    return rest
  }
  const before = await others()
  edit('cpu_worker.py', 'Hello', 'Bye')
  const { plan } = await deploy()
  const changed = plan.steps.filter(({ action }: { action: string }) => action !== 'unchanged')
  // The pipeline imports greet.
  expect(changed).toMatchObject([
    { resource: 'greet', action: 'update', changes: [{ setting: 'code' }] },
    { resource: 'welcome', action: 'update' },
  ])
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Bye, Ada!' })
  expect(await others()).toEqual(before)
  expect(await run('rollback')).toMatchObject({ exitCode: 0 })
  expect(await runsync('greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  expect(await others()).toEqual(before)
})
