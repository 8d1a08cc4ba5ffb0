/** Fault switches on real workers, set with the command line. */
import { expect, test } from 'vitest'
import { startedService, until } from '../support/served-service.ts'

test('a fault switch kills the process that was given a job before its handler runs, until it is off', async () => {
  const service = await startedService()
  const ran = service.gate('ran')
  const code = `def handler(job):\n    open(${JSON.stringify(ran)}, "a").write("x")\n    return 1\n`
  await service.createHandler('work', code, { workersMin: 1, workersMax: 1, redispatches: 0 })
  await until(async () => expect((await service.get('/v2/work/health')).workers).toMatchObject({ idle: 1 }))
  const [before] = service.workerProcesses()
  const { exitCode, stdout } = await service.command('faults', 'work', '--kill', '100')
  expect({ exitCode, answer: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    answer: { endpointId: 'work', faults: { killPercent: 100 } },
  })
  expect(await service.jobEnd('work', await service.run('work', {}))).toMatchObject({
    status: 'FAILED',
    error: 'job timed out after 0 retries: killed by fault injection (killPercent) on its endpoint',
  })
  expect(service.workerProcesses().map(({ pid }) => pid)).not.toContain(before?.pid)
  expect(() => service.read('ran')).toThrow('ENOENT')
  await service.command('faults', 'work', '--off')
  expect(await service.jobEnd('work', await service.run('work', {}))).toMatchObject({ status: 'COMPLETED', output: 1 })
  expect(service.read('ran')).toBe('x')
})
