/** The driver refuses what no worker could ever get on this machine, before anything is made. */
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { containerSettings } from '../../src-main/contract/container.ts'
import { dockerPlace } from '../conformance/docker-place.ts'
import { watched } from '../conformance/fleet.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { recordingEngine } from '../support/recording-engine.ts'

const engine = await dockerEngine()
const PROGRAMS = fileURLToPath(new URL('../support', import.meta.url))
const RUNTIMES = { Runtimes: { runc: {}, nvidia: {} } }

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const dockerHost = 'dockerHost' in engine ? engine.dockerHost : ''

/** A driver on a machine with these recorded cards. */
async function setup(machine: string, info: object = RUNTIMES) {
  const recording = await recordingEngine(dockerHost, info)
  const env = {
    DOCKER_HOST: recording.dockerHost,
    RECORDED_GPUS: machine,
    PATH: `${PROGRAMS}${delimiter}${process.env.PATH}`,
  }
  const { fleet } = watched(dockerPlace(dockerHost, { env }).driver())
  return { refusal: (settings: object) => fleet.refusal({ container: containerSettings.parse(settings) }) }
}

test('containers are refused without an engine, with what was looked at and what to do', async () => {
  const socket = join(tmpdir(), 'drydock-no-engine.sock')
  const { fleet } = watched(dockerPlace(dockerHost, { env: { DOCKER_HOST: `unix://${socket}` } }).driver())
  const refusal = await fleet.refusal({ container: containerSettings.parse({}) })
  expect(refusal).toContain(`no Docker engine answers: DOCKER_HOST (unix://${socket})`)
  expect(refusal).toMatch(/Start Docker, or set DOCKER_HOST$/)
  // Who only asked is not waited for: a machine without Docker must not be looked at twice a second for ever.
  expect(fleet.capacity({}).reason).toBeUndefined()
})

test('a missing card is refused with the list of existing ones; an existing one is accepted', async () => {
  const { refusal } = await setup('one-rtx-4090')
  expect(await refusal({ gpu: 'ADA_24' })).toBeUndefined()
  expect(await refusal({ gpu: 'any' })).toBeUndefined()
  expect(await refusal({ gpu: 'ADA_80_PRO' })).toMatch(/80 GB.*RTX 4090/)
  expect(await refusal({ gpu: 'any', gpuCount: 2 })).toMatch(/needs 2 GPUs, found 1/)
  expect(await refusal({})).toBeUndefined()
})

test('a card is refused where the engine provides none, and where the machine has none', async () => {
  expect(await (await setup('one-rtx-4090', {})).refusal({ gpu: 'any' })).toMatch(/no NVIDIA runtime.*restart Docker$/)
  expect(await (await setup('none')).refusal({ gpu: 'any' })).toMatch(/no NVIDIA GPU/)
})
