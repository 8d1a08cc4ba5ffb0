import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LoadResult } from '../programs/load.ts'
import { endProcess, owned, PROGRAMS } from './programs.ts'

/** One worker of Celery, and a process with its client. */
export type Celery = {
  readonly workerPid: number
  readonly ask: (order: {
    readonly body: string
    readonly connections: number
    readonly ms: number
  }) => Promise<LoadResult>
  readonly stop: () => Promise<void>
}

/** Starts both. @param python has Celery @param redisPort of its broker */
export function startCelery(python: string, redisPort: number): Celery {
  const options = {
    cwd: PROGRAMS,
    env: { ...process.env, REDIS_URL: `redis://127.0.0.1:${redisPort}/0`, PYTHONDONTWRITEBYTECODE: '1' },
  }
  const work = ['-m', 'celery', '--app', 'celery_app', 'worker', '--concurrency', '1', '--loglevel', 'WARNING']
  const worker = owned(spawn(python, work, { ...options, stdio: 'ignore' }))
  const client = spawn(python, [join(PROGRAMS, 'celery_load.py')], { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  owned(client)
  const answers = createInterface({ input: client.stdout })[Symbol.asyncIterator]()
  return {
    workerPid: worker.pid ?? 0,
    async ask(order) {
      client.stdin.write(`${JSON.stringify(order)}\n`)
      const { value, done } = await answers.next()
      if (done === true) throw new Error('the client of Celery has ended')
      return JSON.parse(value)
    },
    stop: async () => void (await Promise.all([endProcess(client), endProcess(worker)])),
  }
}
