import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createThread } from '../../../src-main/lib/node/thread.ts'

const THREAD = new URL('../../../src-main/lib/node/thread.ts', import.meta.url)

// Longer than any of these takes, so that an answer is never that of the time.
const TIME_MS = 60_000

/** A thread that does what it is told. */
function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-thread-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'obey.mjs')
  const code = `
    import { answerIn } from ${JSON.stringify(THREAD.href)}
    answerIn((told) => {
      if (told === 'throw') throw new Error('it is broken')
      if (told === 'exit') process.exit(3)
      if (told === 'fill') for (const all = []; ; ) all.push(new Array(10_000).fill(0.5).map(String))
      if (told === 'hang') for (;;);
      return { told }
    })`
  writeFileSync(file, code)
  const thread = createThread<string, { readonly told: string }>(pathToFileURL(file), {
    timeMs: TIME_MS,
    memoryMib: 32,
  })
  onTestFinished(thread.stop)
  return thread
}

test.each([
  ['runs out of memory', 'fill', 'it needed more memory than there is'],
  ['fails', 'throw', 'it is broken'],
  ['ends', 'exit', 'its thread ended with code 3'],
])('one that %s is answered with that, and the next one is answered', async (_what, told, problem) => {
  const { ask } = setup()
  expect(await ask(told)).toEqual({ problem })
  expect(await ask('go on')).toEqual({ told: 'go on' })
})

test('a stop ends the thread at once, and all that is asked has a problem', async () => {
  const { ask, stop } = setup()
  expect(await ask('first')).toEqual({ told: 'first' })
  const open = [ask('hang'), ask('next')]
  await stop()
  expect(await Promise.all([...open, ask('late')])).toEqual(Array(3).fill({ problem: 'it was stopped' }))
})

test('a release waits for what is asked, and it can be asked again', async () => {
  const { ask, release } = setup()
  const first = ask('first')
  await release()
  expect(await first).toEqual({ told: 'first' })
  expect(await ask('next')).toEqual({ told: 'next' })
})
