import { describe, expect, it } from 'vitest'
import { createPullProgress } from '../../../../src-main/runtimes/docker/engine-messages.ts'

const MB = 1e6
const IMAGE = 'python:3.12-slim'

/** The progress after each step of a pull. */
function setup() {
  const progress = createPullProgress(IMAGE)
  return {
    say: (id: string, status: string) => progress({ id, status, progressDetail: {} }),
    load: (id: string, current: number, total: number) =>
      progress({ id, status: 'Downloading', progressDetail: { current, total } }),
  }
}

describe('the progress of a pull', () => {
  it('is a percentage and an amount, over all layers', () => {
    const { say, load } = setup()
    say('a', 'Pulling fs layer')
    say('b', 'Pulling fs layer')
    load('a', 20 * MB, 60 * MB)
    expect(load('b', 100 * MB, 200 * MB)).toBe(`pulling ${IMAGE}: 46 %, 120 of 260 MB`)
    expect(say('b', 'Download complete')).toBe(`pulling ${IMAGE}: 84 %, 220 of 260 MB`)
  })

  it('has no percentage while the size of a layer is not known', () => {
    const { say, load } = setup()
    expect(say('a', 'Pulling fs layer')).toBe(`pulling ${IMAGE}`)
    say('b', 'Waiting')
    expect(load('a', 20 * MB, 60 * MB)).toBe(`pulling ${IMAGE}: 20 of at least 60 MB`)
  })

  it.each([
    [1 * MB, 4 * MB, '25 %, 1.0 of 4.0 MB'],
    [300 * MB, 999 * MB, '30 %, 300 of 999 MB'],
    [1200 * MB, 8400 * MB, '14 %, 1.2 of 8.4 GB'],
  ])('has the unit that fits: %s of %s', (current, total, words) => {
    expect(setup().load('a', current, total)).toBe(`pulling ${IMAGE}: ${words}`)
  })

  it('counts the layers that are unpacked, those that were there among them', () => {
    const { say, load } = setup()
    say('a', 'Already exists')
    load('b', MB, 2 * MB)
    expect(say('b', 'Download complete')).toBe(`unpacking ${IMAGE}: 1 of 2 layers`)
    expect(say('b', 'Pull complete')).toBe(`unpacking ${IMAGE}: 2 of 2 layers`)
  })

  it('says nothing twice, and nothing of what is no layer', () => {
    const progress = createPullProgress(IMAGE)
    expect(progress({ id: 'latest', status: 'Pulling from library/python' })).toBeUndefined()
    expect(progress({ status: 'Digest: sha256:00' })).toBeUndefined()
    const { say } = setup()
    say('a', 'Pulling fs layer')
    expect(say('a', 'Waiting')).toBeUndefined()
  })
})
