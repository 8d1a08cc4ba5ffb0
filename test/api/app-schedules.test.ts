import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { HOUR_MS } from '../../src-main/lib/units.ts'
import { appFolder, manifestOf } from '../support/app-folder.ts'
import type { TestService } from '../support/core.ts'
import { platformTools, TOOLS_PLACE, type ToolResource, toolArtifact, toolManifest } from '../support/platform-tools.ts'
import { artifactOf, giveArtifact } from '../support/two-services.ts'
import type { TestWorker } from '../support/worker-client.ts'

// In the words of the package runpod 2.0.0rc2.
const NOT_SUPPORTED =
  'recurring schedules are not yet supported by the runpod api. the @schedule decorator records intent but cannot be deployed.'
const HOURLY: ToolResource = { name: 'report', schedule: '0 * * * *' }
const DAILY: ToolResource = { name: 'report', schedule: '0 3 * * *' }

async function setup({ isOn = true, file }: { readonly isOn?: boolean; readonly file?: string } = {}) {
  const stored = file === undefined ? {} : { file }
  const tools = await platformTools({ settings: { appSchedules: isOn }, ...stored })
  const { service } = tools
  const at = await tools.place()
  let code = 0
  const workersSoFar = () => service.fleet().started.map(({ workerId }) => ({ id: workerId }) as TestWorker)
  async function deploy(...resources: readonly ToolResource[]) {
    const deployed = tools.deploy(at, resources, { code: `${code++}`, others: workersSoFar() })
    // No tool saves a task, but its schedule needs a worker that starts.
    for (const { name, kind } of resources) if (kind === 'task') await tools.readyWorker(name)
    const { answers } = await deployed
    expect(answers.flatMap(({ error }) => error ?? [])).toEqual([])
  }
  const schedules = async () => (await service.get('/api/schedules')).schedules
  const crons = async () => (await schedules()).map(({ cron }: { cron: string }) => cron)
  const untilCrons = (...wanted: readonly string[]) =>
    service.clock.until(async () => `${await crons()}` === `${wanted}`)
  /** Goes back to a release whose endpoint needs a new worker. */
  async function rollBack(release: number) {
    const before = workersSoFar()
    const { release: made } = await service.post(`${TOOLS_PLACE}/releases`, { source: { release } })
    void (await service.worker('report', before)).take()
    await service.clock.until(async () => {
      const { release: now } = await service.get(`${TOOLS_PLACE}/releases/${made.number}`)
      return now.state === 'active'
    })
  }
  return { ...tools, at, deploy, rollBack, schedules, crons, untilCrons }
}

describe('a schedule in the code of an app', () => {
  it('is created, changed and removed by releases, and restored by a rollback', async () => {
    const { service, deploy, rollBack, schedules, untilCrons } = await setup()
    await deploy(HOURLY)
    await untilCrons('0 * * * *')
    expect(await schedules()).toMatchObject([
      { endpointId: 'report', name: '@schedule', timeZone: 'UTC', request: '{"input":{}}', missed: 'skip' },
    ])
    await deploy(DAILY)
    await untilCrons('0 3 * * *')
    const back = `${TOOLS_PLACE}/releases/1`
    const [step] = (await service.get(`${back}/plan`)).steps
    expect(step.changes).toContainEqual({ setting: 'schedule', from: '0 3 * * *', to: '0 * * * *' })
    await rollBack(1)
    await untilCrons('0 * * * *')
    await deploy({ name: 'report' })
    await untilCrons()
  })

  it('is shown in plans, even for a new endpoint; changing it alone replaces no worker', async () => {
    const { service, deploy } = await setup()
    const plan = async (schedule?: string) => {
      const manifest = manifestOf({ report: schedule === undefined ? {} : { schedule } })
      return (await service.post(`${TOOLS_PLACE}/plan`, { manifest, artifact: 'b'.repeat(64) })).steps[0]
    }
    expect(await plan('0 * * * *')).toMatchObject({
      action: 'create',
      changes: [{ setting: 'schedule', to: '0 * * * *' }],
    })
    await deploy(HOURLY)
    const changed = { setting: 'schedule', from: '0 * * * *' }
    expect((await plan()).changes).toContainEqual(changed)
    const { manifest, artifact } = deployedAs(service)
    const daily = { ...manifest, resources: { report: { ...manifest.resources.report, schedule: '0 3 * * *' } } }
    const { steps } = await service.post(`${TOOLS_PLACE}/plan`, { manifest: daily, artifact })
    expect(steps).toEqual([
      expect.objectContaining({
        action: 'update',
        replacesWorkers: false,
        changes: [{ ...changed, to: '0 3 * * *' }],
      }),
    ])
  })

  it('queues a job without arguments at its times, on a task too', async () => {
    const { service, deploy, untilCrons, schedules } = await setup()
    await deploy(HOURLY, { name: 'train', kind: 'task', schedule: '30 * * * *' })
    await untilCrons('0 * * * *', '30 * * * *')
    await service.clock.advance(HOUR_MS)
    const runs = async () => (await schedules()).map(({ runs: [run] }: { runs: readonly object[] }) => run)
    await service.clock.until(async () => (await runs()).every((run: object | undefined) => run !== undefined))
    expect(await runs()).toEqual(Array(2).fill(expect.objectContaining({ outcome: 'queued', count: 1 })))
    const [{ id }] = (await service.get('/api/jobs?endpoint=report')).requests
    expect((await service.get(`/api/jobs/${id}`)).input).toEqual({})
  })

  it('can be paused across releases, but not deleted, and users cannot take its name', async () => {
    const { service, deploy, schedules, untilCrons } = await setup()
    await deploy(HOURLY)
    await untilCrons('0 * * * *')
    const [{ id }] = await schedules()
    const path = '/api/endpoints/report/schedules'
    await service.ask('PATCH', `${path}/${id}`, { body: { paused: true } })
    expect(await service.ask('DELETE', `${path}/${id}`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('remove @schedule from the code') },
    })
    const body = { name: '@schedule', everyMs: limit('scheduleEveryMinMs'), request: { input: {} } }
    expect(await service.ask('POST', path, { body })).toMatchObject({ status: 400 })
    await deploy(DAILY)
    await untilCrons('0 3 * * *')
    expect(await schedules()).toMatchObject([{ paused: true }])
  })

  it('fails the deploy if it is invalid or on an API', async () => {
    const { service } = await setup()
    const refusal = async (more: object) => {
      const manifest = manifestOf({ report: more })
      const { status, body } = await service.ask('POST', `${TOOLS_PLACE}/plan`, {
        body: { manifest, artifact: 'b'.repeat(64) },
      })
      return [status, body.detail]
    }
    expect(await refusal({ schedule: 'hourly' })).toEqual([
      400,
      expect.stringContaining('schedule of report: cannot be read'),
    ])
    expect(await refusal({ schedule: '0 * * * *', is_load_balanced: true })).toEqual([
      400,
      expect.stringContaining('schedule of report: it is an API'),
    ])
  })
})

describe('with the setting off', () => {
  it('a deploy is refused with the message of the platform, to its tools as well', async () => {
    const { service, upload, activate, at } = await setup({ isOn: false })
    const manifest = manifestOf({ report: { schedule: '0 * * * *' } })
    const artifact = await giveArtifact(service, await artifactOf(manifest))
    for (const [what, body] of [
      ['plan', { manifest, artifact }],
      ['releases', { source: { artifact } }],
    ] as const) {
      const { status, body: answer } = await service.ask('POST', `${TOOLS_PLACE}/${what}`, { body })
      expect([status, answer.code]).toEqual([422, 'SCHEDULES_NOT_SUPPORTED'])
      expect(answer.detail.startsWith(NOT_SUPPORTED)).toBe(true)
    }
    const build = await upload(await toolArtifact(toolManifest([HOURLY])))
    const { errors } = (await activate(build, at)).body
    expect(errors[0].message).toContain(NOT_SUPPORTED)
  })

  it('earlier code runs without its schedule, as the plan of a rollback says', async () => {
    const { service, deploy, rollBack, untilCrons, crons } = await setup()
    await deploy(HOURLY)
    await deploy({ name: 'report' })
    await untilCrons()
    await service.service().settings.update({ appSchedules: false })
    const { warnings } = await service.get(`${TOOLS_PLACE}/releases/1/plan`)
    expect(warnings).toContain('The schedule of report does not run: the setting appSchedules is off.')
    await rollBack(1)
    expect(await crons()).toEqual([])
  })
})

test('previews run no schedule, whatever the setting', async () => {
  const { service, schedules } = await setup()
  const folder = appFolder(manifestOf({ report: { schedule: '0 * * * *' } }))
  const { warnings } = await service.post(`${TOOLS_PLACE}/releases`, { source: { folder } })
  void (await service.worker('report')).take()
  await service.clock.until(async () => (await service.get(`${TOOLS_PLACE}/releases/1`)).release.state === 'active')
  expect(warnings).toEqual(['The schedule of report does not run: previews run no schedules.'])
  expect(await schedules()).toEqual([])
})

test('a schedule that a killed service had not stored is stored at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-app-schedules-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { service, deploy, schedules, untilCrons } = await setup({ file: join(folder, 'drydock.db') })
  await deploy(HOURLY)
  await untilCrons('0 * * * *')
  const [{ id }] = await schedules()
  await service.storage().write(() => service.storage().schedules.remove(id))
  await service.restart('in order')
  await service.clock.until(() => service.storage().schedules.list('report').length === 1)
})

/** The manifest of the active release, and its artifact. */
function deployedAs(service: TestService) {
  const { apps } = service.storage()
  const environment = apps.environment('shop', 'default')
  const active = environment && apps.releaseIn(environment.id, 'active')
  return { manifest: JSON.parse(active?.manifest ?? ''), artifact: active?.artifact }
}
