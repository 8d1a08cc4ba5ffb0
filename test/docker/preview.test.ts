/** Previews whose workers are containers: a network of their own, and nothing of them left at the end. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { previewProject } from '../preview/support.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const engine = await dockerEngine()
const dockerHost = 'dockerHost' in engine ? engine.dockerHost : ''
const execute = promisify(execFile)

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

/** An app with a name of its own, and what the engine has of it. */
async function setup() {
  const name = `preview-${randomUUID().slice(0, 8)}`
  const docker = async (...argv: readonly string[]) => {
    const { stdout } = await execute('docker', argv, { env: { ...process.env, DOCKER_HOST: dockerHost } })
    return stdout.split('\n').filter((line) => line !== '')
  }
  /** Containers of the previews of this app: their environment is the value of the label after the slash. */
  const containers = async (environment?: string) => {
    const lines = await docker('ps', '--all', '--filter', 'label=svc.app', '--format', '{{.ID}} {{.Label "svc.app"}}')
    const wanted = environment === undefined ? `${name}/` : `${name}/${environment}`
    return lines.flatMap((line) => (line.split(' ')[1]?.startsWith(wanted) ? [line.split(' ')[0] ?? ''] : []))
  }
  const networksOf = async (ids: readonly string[]) => {
    if (ids.length === 0) return []
    const form = '{{range $name, $network := .NetworkSettings.Networks}}{{$name}}{{end}}'
    return [...new Set(await docker('inspect', '--format', form, ...ids))]
  }
  const networks = async () => docker('network', 'ls', '--format', '{{.Name}}')
  // Before the commands are ended, which is registered later and so done first.
  onTestFinished(async () => {
    const left = await containers()
    const used = await networksOf(left)
    if (left.length > 0) await docker('rm', '--force', ...left)
    for (const network of used) await docker('network', 'rm', network).catch(() => [])
  })
  const app = await previewProject({ DOCKER_HOST: dockerHost, SVC_APP: name })
  return { app, containers, networks, networksOf }
}

test('a preview runs in containers, follows a save, and Ctrl+C removes containers and network', async () => {
  const { app, containers, networks, networksOf } = await setup()
  const preview = app.start()
  const live = await preview.event('live')
  expect(live).toMatchObject({ runsOn: 'containers', changed: 5, warnings: [] })
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
  const preview = app.start({ args: ['--runs-on', 'processes'] })
  expect(await preview.event('live')).toMatchObject({ runsOn: 'processes' })
  expect(await containers()).toEqual([])
})
