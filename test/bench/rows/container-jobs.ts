/** A job of a warm worker in a container, next to the same handler in a process. */
import { inTurn } from '../in-turn.ts'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { JOB_BODY } from '../support/clients.ts'
import { type ContainerSide, withContainers } from '../support/containers.ts'
import { latencies } from '../support/latency.ts'
import { createPythonEndpoint, workerIsIdle } from '../support/service.ts'

const WHAT = "a container's job, more than a process's, p50"
const BODY = Buffer.from(JOB_BODY)
const CALLS = 300
const MOST_MORE_MS = 1

/** Measures both in turn, with one client. */
export function containerJobs(rounds: number): Promise<readonly Row[]> {
  return withContainers(WHAT, async (side) => {
    await side.createContainers('container', { workersMin: 1, workersMax: 1 }, {})
    await workerIsIdle(side.service, 'container')
    await createPythonEndpoint(side.service, 'process')
    const { ours, other } = await inTurn(rounds, calls(side, 'container'), calls(side, 'process'))
    const [container, process] = [median(ours.map(median)), median(other.map(median))]
    const row = bounded(WHAT, container - process, MOST_MORE_MS, 'ms')
    return [{ ...row, figure: `${row.figure}: ${short(container)} ms`, against: `${short(process)} ms in a process` }]
  })
}

const calls =
  ({ service: { port, auth } }: ContainerSide, id: string) =>
  () =>
    latencies({ port, path: `/v2/${id}/runsync`, headers: [auth], body: BODY }, CALLS)
