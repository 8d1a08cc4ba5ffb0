import { encode } from 'fast-png'
import { expect, onTestFinished, test } from 'vitest'
import { createReadInThread } from '../../../src-main/app/read-in-thread.ts'

const SIDE = 3000

test('results of jobs do not wait for pictures', async () => {
  const { readInThread, stop } = createReadInThread()
  onTestFinished(stop)
  const picture = encode({ width: SIDE, height: SIDE, channels: 4, depth: 8, data: new Uint8Array(SIDE * SIDE * 4) })
  const pictures = readInThread.picture(picture.slice(), { kind: 'rgb' }).then(() => 'a picture')
  const results = readInThread.value(JSON.stringify('x'.repeat(1_000_000))).then(() => 'a result')
  expect(await Promise.race([pictures, results])).toBe('a result')
})
