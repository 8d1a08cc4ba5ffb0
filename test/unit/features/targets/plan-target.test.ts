import { describe, expect, it } from 'vitest'
import {
  keyInApp,
  planTarget,
  saveInputOf,
  secretsOf,
} from '../../../../src-main/features/targets/rules/plan-target.ts'
import { manifestOf } from '../../../support/app-folder.ts'

const PLACE = { environmentId: '7', environment: 'production', build: 'b1', pythonVersion: '3.12', key: undefined }
const KEY = 'an-account-key'

function saved(more: Parameters<typeof manifestOf>[0][string], place = {}) {
  const { resources } = manifestOf({ adder: more })
  const [[name, resource] = []] = Object.entries(resources)
  if (name === undefined || resource === undefined) throw new Error('it has no resource')
  const { template, ...input } = saveInputOf(name, resource, { ...PLACE, ...place })
  const env = Object.fromEntries((template?.env ?? []).map(({ key, value }) => [key, value]))
  return { input, image: template?.imageName, env }
}

describe('an endpoint as it is saved on a target', () => {
  it('is bound to its environment, and its workers learn who they are', () => {
    const { input, image, env } = saved({ env: { COLOUR: 'blue' }, maxConcurrency: 2 })
    expect(input).toMatchObject({ name: 'adder', flashEnvironmentId: '7', type: 'QB', instanceIds: ['cpu3c-1-2'] })
    expect(image).toBe('runpod/queue:py3.12-latest')
    expect(env).toEqual({
      COLOUR: 'blue',
      FLASH_RESOURCE_NAME: 'adder',
      FLASH_ENVIRONMENT: 'production',
      RUNPOD_BUILD_ID: 'b1',
      RUNPOD_MAX_CONCURRENCY: '2',
    })
  })

  it('has the image of its kind and cards, or its own', () => {
    expect(saved({ is_load_balanced: true, scalerType: 'REQUEST_COUNT' })).toMatchObject({
      input: { type: 'LB' },
      image: 'runpod/api:py3.12-latest',
      env: { PORT: '80', PORT_HEALTH: '80' },
    })
    expect(saved({ gpuIds: 'ADA_24', gpuCount: 2 })).toMatchObject({
      input: { gpuIds: 'ADA_24', gpuCount: 2 },
      image: 'runpod/queue-gpu:py3.12-latest',
    })
    expect(saved({ imageName: 'ada/worker:1' }).image).toBe('ada/worker:1')
  })

  it('has the account key only where it was given and the endpoint calls others', () => {
    expect(saved({ makesRemoteCalls: true }, { key: KEY }).env).toMatchObject({ RUNPOD_API_KEY: KEY })
    expect(saved({ makesRemoteCalls: true }).env).not.toHaveProperty('RUNPOD_API_KEY')
    expect(saved({ makesRemoteCalls: false }, { key: KEY }).env).not.toHaveProperty('RUNPOD_API_KEY')
  })
})

describe('an app that would carry a key', () => {
  it.each([
    ['in any variable', { UPSTREAM: `https://x/?k=${KEY}` }, 'UPSTREAM'],
    ['by the name of the platform', { RUNPOD_API_KEY: 'other' }, 'RUNPOD_API_KEY'],
    ['by our name', { SVC_API_KEY: 'other' }, 'SVC_API_KEY'],
  ])('%s is found', (_where, env, variable) => {
    expect(keyInApp(manifestOf({ plain: {}, adder: { env } }), KEY)).toEqual({ endpoint: 'adder', variable })
  })

  it('is none without one', () => {
    expect(keyInApp(manifestOf({ adder: { env: { COLOUR: 'blue' } } }), KEY)).toBeUndefined()
  })
})

it('the secrets of an app are those that its variables name, once each', () => {
  const env = {
    ONE: '{{ RUNPOD_SECRET_hf }}',
    TWO: 'a {{RUNPOD_SECRET_hf}} b {{ RUNPOD_SECRET_db.x }}',
    THREE: '{{ x }}',
  }
  expect(secretsOf(manifestOf({ adder: { env } }))).toEqual(['hf', 'db.x'])
})

it('an endpoint that a target does not have is created', () => {
  const { adder } = manifestOf({ adder: {} }).resources
  if (adder === undefined) throw new Error('it has no resource')
  const saves = new Map([['adder', saveInputOf('adder', adder, PLACE)]])
  expect(planTarget([], saves, { from: undefined, to: 'b1' })).toEqual([
    { resource: 'adder', action: 'create', changes: [], replacesWorkers: false },
  ])
})
