/** A job for an endpoint whose worker is paused: from the call to the result. */
import Docker from 'dockerode'
import { bounded, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { type ContainerSide, IMAGE, untilSo, withContainers } from '../support/containers.ts'

const CALLS = 100
const P99_MOST_MS = 25

/**
 * Wakes the one worker of an endpoint again and again, and in turn a container of the same image by the engine alone.
 */
export function wakeContainers(): Promise<readonly Row[]> {
  return withContainers('wake of a paused warm worker', async (side) => {
    await side.createContainers('wake', { workersMax: 1, idleTimeoutMs: 0 }, { prepared: 0 })
    const container = new Docker({ socketPath: side.dockerHost.replace('unix://', '') }).getContainer(
      await side.docker('run', '--detach', '--rm', '--init', IMAGE, 'sleep', '3600'),
    )
    const ours: number[] = []
    const bare: number[] = []
    try {
      await call(side)
      for (let n = 0; n < CALLS; n++) {
        ours.push(await wake(side))
        await container.pause()
        const start = performance.now()
        await container.unpause()
        bare.push(performance.now() - start)
      }
    } finally {
      await container.remove({ force: true })
    }
    const floor = `bare unpause ${short(median(bare))}, p99 ${short(percentile(bare, 0.99))} ms`
    const what = `wake of a paused warm worker, p99 (p50 ${short(median(ours))} ms; ${floor})`
    return [bounded(what, percentile(ours, 0.99), P99_MOST_MS, 'ms')]
  })
}

const call = ({ service }: ContainerSide) => service.call('POST', '/v2/wake/runsync', { input: {} })

async function wake(side: ContainerSide): Promise<number> {
  const filters = ['--filter', 'label=svc.endpoint=wake', '--filter', 'status=paused']
  await untilSo(async () => (await side.docker('ps', '--quiet', ...filters)) !== '')
  const start = performance.now()
  await call(side)
  return performance.now() - start
}
