/**
 * Schedules and reserved variables in apps of the unmodified package runpod 2.0. Its switch for schedules is a constant,
 * which a script turns on for itself.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { PREPARE_LIMIT_MS, prepareLightWheels, preparePublicApps } from './support-python.ts'
import { until } from './support-service.ts'
import { DEPLOY_LIMIT_MS, startTools } from './support-tools.ts'

const NOT_SUPPORTED = 'recurring schedules are not yet supported by the runpod api'
const APP = `import os

import runpod

app = runpod.App("almanac")


@runpod.schedule(cron="0 3 * * *")
@app.queue(name="report", cpu="cpu3c-1-2")
def report(day="today"):
    return {"report": day, "private": os.path.exists("private.txt")}


@app.task(name="train", cpu="cpu3c-1-2")
@runpod.schedule(cron="30 3 * * *")
def train():
    return {"trained": os.path.exists("kept.txt")}
`
const DEPLOY_WITH_SWITCH = `import sys

import runpod.apps.deploy
from runpod.rp_cli.main import run

runpod.apps.deploy.SCHEDULES_ENABLED = True
sys.argv = ["rp", "flash", "deploy"]
run()
`

type Schedule = { readonly id: string; readonly endpointId: string; readonly cron: string; readonly timeZone: string }

let packages: Awaited<ReturnType<typeof preparePublicApps>>
let wheels: Awaited<ReturnType<typeof prepareLightWheels>>
beforeAll(async () => {
  packages = await preparePublicApps()
  wheels = await prepareLightWheels(packages)
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!wheels.ready, wheels.reason))

const printedBy = (failed: unknown): string => {
  const { stdout = '', stderr = '' } = failed as { stdout?: string; stderr?: string }
  return `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')
}

test(
  'are refused by the tool and here alike, and run once the switches of both are on',
  async () => {
    const { rp, script, write, ask } = await startTools(packages, wheels.folder)
    write('main.py', APP)
    write('.runpodignore', 'private.txt\n')
    write('private.txt', '')
    write('kept.txt', '')
    expect(printedBy(await rp('flash', 'deploy').catch((error: unknown) => error))).toContain(NOT_SUPPORTED)
    expect(printedBy(await script(DEPLOY_WITH_SWITCH).catch((error: unknown) => error))).toContain(NOT_SUPPORTED)

    await ask('PATCH', '/api/settings', { appSchedules: true })
    expect(await script(DEPLOY_WITH_SWITCH)).toContain('is live')
    const schedules = await until('both schedules are there', async () => {
      const found = ((await ask('GET', '/api/schedules')) as { schedules: readonly Schedule[] }).schedules
      return found.length === 2 ? found : undefined
    })
    expect(schedules.map(({ endpointId, cron, timeZone }) => [endpointId, cron, timeZone]).sort()).toEqual([
      ['report', '0 3 * * *', 'UTC'],
      ['train', '30 3 * * *', 'UTC'],
    ])
    const outputs = await Promise.all(
      schedules.map(async ({ endpointId, id }) => {
        const path = `/api/endpoints/${endpointId}/schedules/${id}/run`
        const { jobId } = (await ask('POST', path)) as { jobId: string }
        return await until(`the run of ${endpointId} is over`, async () => {
          const job = (await ask('GET', `/v2/${endpointId}/status/${jobId}`)) as { status: string; output: unknown }
          return job.status === 'COMPLETED' ? job.output : undefined
        })
      }),
    )
    expect(outputs).toEqual(expect.arrayContaining([{ report: 'today', private: false }, { trained: true }]))

    write(
      'main.py',
      APP.replace('cpu="cpu3c-1-2")\ndef report', 'cpu="cpu3c-1-2", env={"RUNPOD_API_KEY": "mine"})\ndef report'),
    )
    expect(printedBy(await script(DEPLOY_WITH_SWITCH).catch((error: unknown) => error))).toContain(
      'env.RUNPOD_API_KEY of report: is reserved',
    )
  },
  3 * DEPLOY_LIMIT_MS,
)
