import { expect, test } from 'vitest'
import type { DoctorRow } from '../../../../src-main/contract/system.ts'
import { createDoctor } from '../../../../src-main/features/system/doctor.ts'
import type { ContainerHost, OwnImage, ServiceHost } from '../../../../src-main/runtimes/port.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

const NO_STATUS = { decision: undefined, crashLoop: undefined }

const CURRENT = 'drydock-worker:2'

/** A doctor on a machine with these images; the worker image is made when `end` is called. */
function setup(images: readonly OwnImage[]) {
  let here = images
  let tell: (progress: string) => void = () => undefined
  let making = 0
  const made = Promise.withResolvers<void>()
  const containerHost: ContainerHost = {
    engine: async () => ({ state: 'connected', version: '28.3.2', source: 'a usual place' }),
    gpus: async () => ({ inventory: { cards: [] }, holds: [] }),
    images: async () => here,
    removeOldImages: async () => {
      here = here.filter(({ old }) => !old)
    },
    workerImage: () => CURRENT,
    image: async () => undefined,
    pulls: () => [],
    push: () => Promise.reject(new Error('nothing is pushed')),
    async makeWorkerImage(watch) {
      making += 1
      tell = watch.report
      await made.promise
      here = [...here, { name: CURRENT, bytes: 1, old: false }]
    },
  }
  const host: ServiceHost = {
    check: async () => [],
    versions: async () => [],
    tightenPermissions: async () => [],
    measure: async () => ({ bytes: 0, files: 0 }),
    list: async () => [],
    space: async () => ({ freeBytes: 1, totalBytes: 2 }),
    readProcess: () => ({
      cpuSeconds: 0,
      residentBytes: 0,
      loopBusySeconds: 0,
      loopDelay: { p99Seconds: 0, maxSeconds: 0 },
    }),
    leftPreviews: async () => ({ folders: 0, bytes: 0, files: 0 }),
    removePreviews: async () => undefined,
    emptyLog: async () => undefined,
    userOf: async () => undefined,
  }
  const note = () => undefined
  const doctor = createDoctor({
    host,
    fleet: { containerHost },
    storage: openStorage(':memory:'),
    supervisor: {
      status: () => ({ main: NO_STATUS, batch: NO_STATUS }),
      forgetCrashes: note,
    },
    settings: { get: () => ({ python: 'python3' }) as never },
    log: { info: note, warn: note, error: note },
    url: () => 'http://127.0.0.1:8790',
  })
  const row = async (check: string): Promise<DoctorRow | undefined> =>
    (await doctor.check()).find((one) => one.check === check)
  return { doctor, row, tell: (progress: string) => tell(progress), end: made, makings: () => making }
}

test('the worker image that is missing is made once, and its row tells how far it has come', async () => {
  const { doctor, row, tell, end, makings } = setup([])
  expect(await row('worker image')).toMatchObject({ state: 'ok', action: { action: 'make-worker-image' } })
  const both = [doctor.fix('make-worker-image', undefined), doctor.fix('make-worker-image', undefined)]
  tell('step 3 of 9')
  expect(await row('worker image')).toMatchObject({ busy: 'step 3 of 9' })
  end.resolve()
  expect(await Promise.all(both)).toEqual([
    `The worker image ${CURRENT} is ready.`,
    `The worker image ${CURRENT} is ready.`,
  ])
  expect(makings()).toBe(1)
  expect(await row('worker image')).toEqual({ check: 'worker image', state: 'ok', found: CURRENT })
})

test('a fix that fails says why, and can be tried again', async () => {
  const { doctor, row, end } = setup([])
  const fixed = doctor.fix('make-worker-image', undefined)
  end.reject(new Error('the image python:3.11-slim is missing and could not be pulled.'))
  await expect(fixed).rejects.toMatchObject({
    code: 'NOT_DONE',
    message: expect.stringContaining('could not be pulled.'),
  })
  expect(await row('worker image')).not.toHaveProperty('busy')
})

test('images of earlier versions are reported with their size, and removed', async () => {
  const old = { name: 'drydock-worker:1', bytes: 3 * 1024 ** 3, old: true }
  const { doctor, row } = setup([old, { name: CURRENT, bytes: 5, old: false }])
  expect(await row('old worker images')).toMatchObject({
    state: 'warning',
    found: '1 of earlier versions, up to 3.0 GiB',
    action: { effect: 'Removes drydock-worker:1.' },
  })
  expect(await doctor.fix('remove-old-images', undefined)).toBe('1 of 2 images of workers were removed.')
  expect(await row('old worker images')).toBeUndefined()
})
