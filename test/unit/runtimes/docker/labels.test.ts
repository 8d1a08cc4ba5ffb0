import { expect, it } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { labelsOf } from '../../../../src-main/runtimes/docker/labels.ts'
import type { WorkerSpec } from '../../../../src-main/runtimes/port.ts'

const MAKER = { serviceId: 's1', runId: 'r1' }
const OWN = { 'svc.service': 's1', 'svc.run': 'r1', 'svc.endpoint': 'e', 'svc.worker': 'w' }

function labels(more: Partial<WorkerSpec> = {}, gpuIds: readonly string[] = []) {
  const spec: WorkerSpec = {
    endpointId: 'e',
    workerId: 'w',
    handler: undefined,
    command: 'a-worker',
    cwd: undefined,
    python: 'python3',
    container: undefined,
    loadBalanced: undefined,
    app: undefined,
    env: {},
    ...more,
  }
  return labelsOf(MAKER, spec, gpuIds)
}

it('names service, run, endpoint and worker, and nothing that there is not', () => {
  expect(labels()).toEqual(OWN)
})

it('names app and environment of a worker of an app', () => {
  const app = { name: 'my shop', environment: 'production', resource: 'web', code: 'c0de', variables: 0 }
  expect(labels({ app })).toEqual({ ...OWN, 'svc.app': 'my shop/production' })
})

it('names ports, cards and whether the cards are shared, which a later run of the service reads', () => {
  const container = containerSettings.parse({ gpu: 'any', gpuShared: true })
  expect(labels({ container, loadBalanced: { port: 80, healthPort: 81 } }, ['GPU-1', 'GPU-2'])).toEqual({
    ...OWN,
    'svc.ports': '80,81',
    'svc.gpus': 'GPU-1,GPU-2',
    'svc.gpus.shared': 'true',
  })
})
