import { describe, expect, it } from 'vitest'
import type { ManifestResource } from '../../../../src-main/contract/manifest.ts'
import { codeFolder, targetConfig } from '../../../../src-main/features/apps/rules/endpoint-config.ts'
import { runtimeProgram } from '../../../../src-main/features/apps/rules/runtime-program.ts'
import { manifestOf } from '../../../support/app-folder.ts'

const PACKAGES = '/opt/drydock app/python'

/** The settings of a resource of 2.0. */
function configOf(runsOn: 'containers' | 'processes', more: Partial<ManifestResource> = {}) {
  const { resources } = manifestOf({ adder: { sdk: 2, handlerFile: undefined, ...more } })
  const { adder } = resources
  if (adder === undefined) throw new Error('it has no resource')
  return targetConfig('adder', adder, {
    app: 'shop',
    environment: 'default',
    folder: '/data/unpacked/a',
    code: 'a'.repeat(64),
    variables: 0,
    runsOn,
    pythonVersion: '3.12',
    imageRequirements: [],
    volumeFolder: (name) => `/data/volumes/${name}`,
    graphOf: (_name, { behind }) => ({ behind, version: 1 }),
    pythonPackages: PACKAGES,
  })
}

const VARIABLES = { FLASH_RESOURCE_NAME: 'adder', FLASH_ENVIRONMENT: 'default' }

describe('the runtime of apps of 2.0', () => {
  it('is a handler file or a program where workers are processes', () => {
    const where = { pythonPackages: PACKAGES, inContainer: false }
    expect(runtimeProgram('queue', where)).toEqual({ handler: `${PACKAGES}/svc_runtime/svc_queue.py`, volumes: [] })
    expect(runtimeProgram('api', where)).toEqual({
      command: `python3 "${PACKAGES}/svc_runtime/svc_api.py"`,
      volumes: [],
    })
  })

  it('is told where the artifact is', () => {
    const process = configOf('processes')
    expect(process).toMatchObject({
      handler: `${PACKAGES}/svc_runtime/svc_queue.py`,
      env: { ...VARIABLES, RUNPOD_APP_DIR: '/data/unpacked/a' },
    })
    const container = configOf('containers')
    expect(container).toMatchObject({ env: { ...VARIABLES, RUNPOD_APP_DIR: '/app' } })
    expect(container.container?.volumes).toEqual([
      { source: PACKAGES, target: '/opt/drydock/packages', readOnly: true },
      { source: '/data/unpacked/a', target: '/app', readOnly: true },
    ])
    for (const config of [process, container]) expect(codeFolder(config)).toBe('/data/unpacked/a')
  })

  it('runs in an image of its own, too', () => {
    const config = configOf('processes', { imageName: 'ghcr.io/ada/base:1' })
    expect(config.container).toMatchObject({ image: 'ghcr.io/ada/base:1' })
    expect(config.command).toMatch(/svc_runtime\/svc_queue\.py$/)
    expect(codeFolder(config)).toBe('/data/unpacked/a')
  })

  it('serves an api as a program that listens', () => {
    const config = configOf('containers', { is_load_balanced: true })
    expect(config.loadBalanced).toBeDefined()
    expect(config.command).toBe(
      'env PYTHONPATH=/opt/drydock/packages python3 /opt/drydock/packages/svc_runtime/svc_api.py',
    )
  })
})
