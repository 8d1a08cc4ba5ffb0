import { describe, expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'
import { jobInState } from '../support/job-in-state.ts'

describe('how far a job is', () => {
  it('tells why it waits, then the latest progress, then the end, and never the payloads', async () => {
    const { createEndpoint, run, worker, get } = await setup()
    await createEndpoint()
    const id = await run({ secret: 'a large input' })
    const path = `/api/jobs/${id}/progress`
    const waiting = await get(path)
    expect(waiting).toMatchObject({ id, status: 'IN_QUEUE', waitingReason: expect.any(String) })
    expect(waiting).not.toHaveProperty('progress')
    expect(waiting).not.toHaveProperty('input')

    const first = await worker()
    await first.take()
    expect(await get(path)).not.toHaveProperty('progress')
    const progress = { node: '3', step: 4, steps: 20, done: ['4'] }
    await first.done(id, { status: 'IN_PROGRESS', output: progress })
    expect(await get(path)).toMatchObject({ status: 'IN_PROGRESS', attempt: 1, progress })

    await first.done(id, { output: 'a large output' })
    const ended = await get(path)
    expect(ended).toMatchObject({ status: 'COMPLETED' })
    expect(ended).not.toHaveProperty('progress')
    expect(JSON.stringify(ended)).not.toContain('large')
  })

  it.each([
    ['is not JSON', '{"status": "IN_PROGRESS", "output": NaN}', 'is not JSON'],
    [
      'is large and not JSON',
      `{"status": "IN_PROGRESS", "output": [${'[],'.repeat(limit('payloadInRowBytes'))}NaN]}`,
      'is not JSON',
    ],
    [
      'is too large',
      JSON.stringify({ status: 'IN_PROGRESS', output: 'x'.repeat(limit('resultBodyBytes')) }),
      'exceeds the 20 MiB maximum',
    ],
  ])('drops an update that %s, says so in the log, and the result counts', async (_what, update, why) => {
    const { id, worker, status, get } = await jobInState('IN_PROGRESS')
    expect((await worker.done(id, update)).status).toBe(200)
    expect((await worker.done(id, update)).status).toBe(200)
    expect(await status(id)).toMatchObject({ status: 'IN_PROGRESS' })
    await worker.done(id, { output: 'good' })
    expect(await status(id)).toMatchObject({ status: 'COMPLETED', output: 'good' })
    expect((await get(`/api/jobs/${id}/logs`)).lines).toEqual([
      expect.objectContaining({
        workerId: worker.id,
        level: 'WARN',
        line: expect.stringContaining(`A progress update of this job was dropped: it ${why}`),
      }),
    ])
  })
})
