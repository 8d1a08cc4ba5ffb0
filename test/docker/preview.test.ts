/** Previews whose workers are containers: a network of their own, and nothing of them left at the end. */
import { beforeEach, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'
import { containerPreviews } from './support-previews.ts'

const engine = await dockerEngine()
const dockerHost = 'dockerHost' in engine ? engine.dockerHost : ''

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = () => containerPreviews(dockerHost)

test('a preview runs in containers, follows a save, and Ctrl+C removes containers and network', async () => {
  const { app, containers, networks, networksOf } = await setup()
  app.keepOnly('cpu_worker.py', 'lb_worker.py', 'pipeline.py')
  const preview = app.start()
  const live = await preview.event('live')
  expect(live).toMatchObject({ runsOn: 'containers', changed: 3, warnings: [] })
  expect(await preview.output('welcome', { names: ['Ada'] })).toEqual({ welcome: ['Hello, Ada!'] })
  expect(await preview.ask('GET', '/lb/api/health')).toEqual({ status: 200, body: { status: 'ok' } })
  app.edit('cpu_worker.py', 'Hello', 'Hi')
  expect(await preview.event('live', 2)).toMatchObject({ changed: 2 })
  expect(await preview.output('greet')).toEqual({ greeting: 'Hi, world!' })
  expect(await preview.ask('GET', '/lb/api/health')).toEqual({ status: 200, body: { status: 'ok' } })

  // Those of the release before may be going in this moment.
  const [network = '', ...others] = await until(async () => networksOf(await containers()))
  expect(others).toEqual([])
  expect(await networks()).toContain(network)
  preview.signal('SIGINT')
  expect(await preview.ended).toMatchObject({ exitCode: 0 })
  expect(await containers()).toEqual([])
  expect(await networks()).not.toContain(network)
  expect(app.folders()).toEqual([])
})

test('containers and network of a killed preview are swept by the next one, which has its own', async () => {
  const { app, containers, networks, networksOf } = await setup()
  app.keepOnly('cpu_worker.py')
  const killed = app.start()
  const { environment } = await killed.event('up')
  await killed.event('live')
  killed.signal('SIGKILL')
  await killed.ended
  const [network = ''] = await networksOf(await containers(environment))
  expect(await networks()).toContain(network)

  const next = app.start()
  const { environment: own } = await next.event('live').then(() => next.event('up'))
  expect(await containers(environment)).toEqual([])
  expect(await networks()).not.toContain(network)
  expect(app.folders()).toHaveLength(1)
  await until(async () => expect((await networksOf(await containers(own))).length).toBe(1))
  expect(await next.output('greet')).toEqual({ greeting: 'Hello, world!' })
})

test('processes that are asked for are taken, where an engine is too', async () => {
  const { app, containers } = await setup()
  app.keepOnly('cpu_worker.py')
  const preview = app.start({ args: ['--runs-on', 'processes'] })
  expect(await preview.event('live')).toMatchObject({ runsOn: 'processes' })
  expect(await containers()).toEqual([])
})
