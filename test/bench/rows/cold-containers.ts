/** The first job of an endpoint without a worker, in a container, against `docker run` of the same image and imports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inTurn } from '../in-turn.ts'
import { compared, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { type ContainerSide, IMAGE, PYTHON_PATH, untilSo, withContainers } from '../support/containers.ts'

const AGAINST = 'docker run until the same imports are done'
const MOST = 1.2
// A worker has imported these when it asks for its first job.
const IMPORTS = `
import svc_worker.__main__
from svc_worker._load_handler import load_program
load_program("/app/handler.py")
print("up", flush=True)
`

/** Cold starts: with the container that is made in advance, and of an endpoint that has never had one. */
export function coldContainers(rounds: number): Promise<readonly Row[]> {
  return withContainers('first job of a cold endpoint, container', async (side) => {
    await side.createContainers('cold', { idleTimeoutMs: 0 }, { keepPausedMs: 0 })
    await firstJob(side, 'cold')
    const floor = () => runBare(side)
    const prepared = await inTurn(rounds, () => coldStart(side), floor)
    let n = 0
    const never = await inTurn(rounds, () => firstEver(side, `never-${n++}`), floor)
    const against = { unit: 'ms', against: AGAINST, most: MOST }
    return [
      compared('first job of a cold endpoint, container', median(prepared.ours), median(prepared.other), against),
      compared('the same, first worker ever', median(never.ours), median(never.other), against),
    ]
  })
}

/** Waits until no worker is left and the next container is made, then measures. */
async function coldStart(side: ContainerSide): Promise<number> {
  const { service, docker } = side
  await untilSo(async () => {
    const { workers } = (await service.call('GET', '/api/workers?endpoint=cold')) as { workers: readonly object[] }
    const filters = ['--filter', 'label=svc.endpoint=cold', '--filter', 'status=created']
    return workers.length === 0 && (await docker('ps', '--all', '--quiet', ...filters)) !== ''
  })
  return firstJob(side, 'cold')
}

async function firstEver(side: ContainerSide, id: string): Promise<number> {
  await side.createContainers(id, { idleTimeoutMs: 0 }, { keepPausedMs: 0, prepared: 0 })
  const ms = await firstJob(side, id)
  await side.service.call('DELETE', `/api/endpoints/${id}`)
  await untilSo(
    async () => (await side.docker('ps', '--all', '--quiet', '--filter', `label=svc.endpoint=${id}`)) === '',
  )
  return ms
}

async function firstJob({ service }: ContainerSide, id: string): Promise<number> {
  const start = performance.now()
  const record = (await service.call('POST', `/v2/${id}/runsync`, { input: {} })) as { status: string }
  if (record.status !== 'COMPLETED') throw new Error(`the job of ${id} is ${record.status}`)
  return performance.now() - start
}

async function runBare({ dockerHost, folder }: ContainerSide): Promise<number> {
  const code = ['--volume', `${folder}:/app:ro`, '--volume', `${PYTHON_PATH}:/opt/python:ro`, '--workdir', '/app']
  const env = ['--env', 'PYTHONPATH=/opt/python']
  const start = performance.now()
  const child = spawn('docker', ['run', '--rm', '--init', ...code, ...env, IMAGE, 'python3', '-c', IMPORTS], {
    env: { ...process.env, DOCKER_HOST: dockerHost },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`docker run ended with ${code}`)
  })
  await Promise.race([once(child.stdout, 'data'), ended])
  const ms = performance.now() - start
  await ended
  return ms
}
