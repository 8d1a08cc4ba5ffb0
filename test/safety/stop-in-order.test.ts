import { expect, test } from 'vitest'
import { startedService, until } from '../support/served-service.ts'
import { holderOf } from './lose-workers.ts'
import { stopInOrder } from './stop-in-order.ts'

// Signals of one press of Ctrl+C come within 300 ms.
const NEXT_PRESS_MS = 301

test('SIGTERM lets eight running jobs end within the grace time, and queues the rest again', async () => {
  await stopInOrder({ runs: 2, isAlone: false })
})

test('a second signal queues running jobs again at once, however long they may go on, and leaves no worker', async () => {
  const args = ['--stop-grace', '3600000']
  const service = await startedService({ args })
  await service.createEndpoint('work')
  const id = await service.run('work', { gates: [service.gate('never')] })
  await holderOf(service, id)
  const stopped = service.stop()
  // Two signals that wait for a busy process arrive as one.
  await until(() => expect(service.read('data', 'drydock.log')).toContain('service stops'))
  const heardAt = performance.now()
  await until(() => expect(performance.now() - heardAt).toBeGreaterThan(NEXT_PRESS_MS))
  service.process().kill('SIGTERM')
  expect(await stopped).toMatchObject({ exitCode: 0 })
  expect(service.workerProcesses()).toEqual([])
  await service.start({ args })
  await service.post('/api/endpoints/work/pause')
  expect(await service.get(`/v2/work/status/${id}`)).not.toHaveProperty('retries')
})

test('a service ends although a machine of it cannot be reached, after a restart and after its removal too', async () => {
  const service = await startedService()
  const seen = async () => {
    const { machines } = await service.get('/api/machines')
    expect(machines).toMatchObject([{ name: 'box', state: 'unreachable' }])
  }
  await service.post('/api/machines', { name: 'box', way: { kind: 'ssh', to: 'nobody@127.0.0.1', port: 1 } })
  await until(seen)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  await service.start()
  await until(seen)
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
  await service.start()
  await until(seen)
  expect(await service.ask('DELETE', '/api/machines/box')).toMatchObject({ status: 200 })
  expect(await service.stop()).toMatchObject({ exitCode: 0 })
})
