import { describe, expect, it } from 'vitest'
import { createSharedWork } from '../../../../src-main/runtimes/docker/shared-work.ts'
import type { Watch } from '../../../../src-main/runtimes/port.ts'

/** Work that the test ends, and those who wait for it. */
function setup() {
  const share = createSharedWork()
  const runs: (Watch & PromiseWithResolvers<void>)[] = []
  const join = (name = 'image') => {
    const heard: string[] = []
    const controller = new AbortController()
    const watch = { report: (words: string) => heard.push(words), signal: controller.signal }
    const done = share(name, watch, async ({ report, signal }) => {
      const run = { ...Promise.withResolvers<void>(), report, signal }
      signal.addEventListener('abort', () => run.reject(signal.reason))
      runs.push(run)
      await run.promise
    })
    done.catch(() => undefined)
    return { heard, done, leave: () => controller.abort(new Error('left')) }
  }
  const begun = async (count = 1) => {
    await expect.poll(() => runs.length).toBe(count)
    return runs[count - 1] as (typeof runs)[number]
  }
  return { runs, join, begun }
}

describe('work that several wait for', () => {
  it('is done once, and all hear of it; who comes later hears at once how far it is', async () => {
    const { runs, join, begun } = setup()
    const [one, two] = [join(), join()]
    const run = await begun()
    run.report('half')
    const three = join()
    expect(three.heard).toEqual(['half'])
    run.report('all')
    run.resolve()
    await Promise.all([one.done, two.done, three.done])
    expect([one.heard, two.heard, three.heard]).toEqual([
      ['half', 'all'],
      ['half', 'all'],
      ['half', 'all'],
    ])
    expect(runs).toHaveLength(1)
  })

  it('of another name is another', async () => {
    const { join, begun } = setup()
    join('a')
    join('b')
    await begun(2)
  })

  it('fails for all, and begins anew for the next', async () => {
    const { join, begun } = setup()
    const [one, two] = [join(), join()]
    ;(await begun()).reject(new Error('no space'))
    for (const { done } of [one, two]) await expect(done).rejects.toThrow('no space')
    join()
    await begun(2)
  })

  it('continues while one still waits', async () => {
    const { join, begun } = setup()
    const [one, two] = [join(), join()]
    const run = await begun()
    one.leave()
    await expect(one.done).rejects.toThrow('left')
    expect(run.signal.aborted).toBe(false)
    run.resolve()
    await two.done
  })

  it('is aborted when the last one leaves, and whoever comes then begins anew', async () => {
    const { join, begun } = setup()
    const one = join()
    const run = await begun()
    one.leave()
    await expect(one.done).rejects.toThrow('left')
    expect(run.signal.aborted).toBe(true)
    const two = join()
    ;(await begun(2)).resolve()
    await two.done
  })

  it('is not begun for one who has left already', async () => {
    const share = createSharedWork()
    const watch = { report: () => undefined, signal: AbortSignal.abort(new Error('left')) }
    await expect(share('image', watch, () => Promise.reject(new Error('begun')))).rejects.toThrow('left')
  })
})
