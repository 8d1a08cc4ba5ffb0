import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ServedService, startedService } from '../support/served-service.ts'
import { appProject } from './support.ts'

const NO_ENGINE = { env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } }

const answer = async (box: ServedService, id: string, input: object) =>
  (await box.post(`/v2/${id}/runsync?wait=60000`, { input })).output

test('a probe says that a second service answers as this one does; an app goes there by its name, is called, changed, and rolled back', async () => {
  const app = await appProject()
  const box = await startedService(NO_ENGINE)
  const added = await app.run('target', 'add', 'box', '--url', box.url(), '--key-file', join(box.data, 'account.key'))
  expect(added).toMatchObject({ exitCode: 0, stdout: `target box at ${box.url()} stored\n` })
  const probed = await app.run('probe', '--target', 'box')
  expect(probed).toMatchObject({ exitCode: 0, stderr: '' })
  expect(probed.stdout).toMatch(/^same {7}GET \/v2\/serverless$/m)
  expect(probed.stdout).toMatch(/^50 same, 0 different, 0 unknown$/m)
  expect(JSON.parse((await app.run('probe', '--target', 'box', '--json')).stdout).results).toHaveLength(50)
  expect(await app.run('probe', '--target', 'none')).toMatchObject({ exitCode: 6, stdout: '' })

  const first = await app.run('deploy', '--target', 'box')
  expect(first).toMatchObject({ exitCode: 0 })
  expect(first.stdout).toContain('Plan for demo/production on target box:')
  expect(first.stdout).toMatch(/\+ greet +create/)
  expect(first.stdout).toContain('Deploy 1 of demo/production is active on target box.')
  expect(first.stdout).toMatch(new RegExp(`greet +\\S.* +${box.url()}/v2/greet`))
  expect(await answer(box, 'greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
  // By the state manager of the other service, with a token of its own.
  expect(await answer(box, 'welcome', { names: ['Bo'] })).toEqual({ welcome: ['Hello, Bo!'] })
  expect(await box.get('/lb/api/health')).toEqual({ status: 'ok' })
  expect(await app.service.get('/api/endpoints')).toEqual({ endpoints: [] })

  const same = await app.run('deploy', '--target', 'box', '--json')
  expect(JSON.parse(same.stdout).plan.steps.map(({ action }: { action: string }) => action)).toEqual(
    Array(5).fill('unchanged'),
  )
  app.edit('cpu_worker.py', 'Hello', 'Bye')
  expect(await app.run('deploy', '--target', 'box')).toMatchObject({ exitCode: 0 })
  expect(await answer(box, 'greet', { name: 'Ada' })).toEqual({ greeting: 'Bye, Ada!' })
  const back = await app.run('rollback', '--target', 'box')
  expect(back).toMatchObject({ exitCode: 0 })
  expect(back.stdout).toContain('rolls back to deploy 1')
  expect(await answer(box, 'greet', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' })
})
