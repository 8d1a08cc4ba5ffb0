import { expect, test } from 'vitest'
import { ApiError } from '../../src-renderer/api-client/api-error.ts'
import { connectShell, type ShellState } from '../../src-renderer/features/workers/connect-shell.ts'
import { type TestAnswers, testClient } from './support.tsx'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
const gone = () => {
  throw new ApiError('SHELL_NOT_FOUND', 404, 'There is no shell s, or it has ended.')
}

/** A screen joined to a shell of a service that answers like this. */
async function connected(answers: TestAnswers = {}) {
  const { client, calls, follows } = testClient({ shellOpen: { shellId: 's', program: 'bash' }, ...answers })
  const states: ShellState[] = []
  let shown = ''
  const shell = connectShell({
    client,
    workerId: 'w',
    screen: {
      size: () => ({ columns: 80, rows: 24 }),
      write: (bytes) => {
        shown += new TextDecoder().decode(bytes)
      },
      focus: () => undefined,
    },
    onState: (state) => states.push(state),
  })
  await settle()
  const callsOf = (operation: string) => calls.filter((call) => call.operation === operation).map(({ args }) => args)
  return { shell, states, callsOf, follows, shown: () => shown }
}

test('a shell is opened in the size of its screen, and its bytes are shown', async () => {
  const { states, callsOf, follows, shown } = await connected()
  expect(callsOf('shellOpen')).toEqual([{ path: { workerId: 'w' }, body: { columns: 80, rows: 24 } }])
  expect(states).toEqual([{ kind: 'open', program: 'bash' }])
  follows[0]?.onItems([
    { end: 3, data: btoa('ab\n') },
    { end: 4, data: btoa('c') },
  ])
  expect(shown()).toBe('ab\nc')
  expect(follows[0]?.query?.({ end: 4, data: '' })).toEqual({ after: 4 })
})

test('typed text goes in order, and together while a call is on its way', async () => {
  const answers: (() => void)[] = []
  const { shell, callsOf } = await connected({
    shellInput: () => new Promise<void>((resolve) => answers.push(resolve)),
  })
  for (const key of 'make') shell.onInput(key)
  await settle()
  const texts = () => callsOf('shellInput').map((args) => (args as { body: { text: string } }).body.text)
  expect(texts()).toEqual(['m'])
  answers.shift()?.()
  await settle()
  expect(texts()).toEqual(['m', 'ake'])
  shell.onInput('x'.repeat(20_000))
  answers.shift()?.()
  await settle()
  answers.shift()?.()
  await settle()
  expect(texts().map(({ length }) => length)).toEqual([1, 3, 16_000, 4000])
})

test('of sizes that follow each other the last one is sent', async () => {
  const { shell, callsOf } = await connected()
  shell.onSize({ columns: 90, rows: 30 })
  shell.onSize({ columns: 100, rows: 40 })
  shell.onSize({ columns: 110, rows: 50 })
  await settle()
  expect(callsOf('shellResize').at(-1)).toEqual({ path: { shellId: 's' }, body: { columns: 110, rows: 50 } })
  expect(callsOf('shellResize').length).toBeLessThanOrEqual(2)
})

test('its end is reported, and it is not closed again', async () => {
  const { shell, states, callsOf, follows } = await connected()
  follows[0]?.onItems([{ end: 0, data: '', ended: 'the shell has exited' }])
  expect(states.at(-1)).toEqual({ kind: 'ended', why: 'the shell has exited' })
  expect(follows).toEqual([])
  shell.onInput('x')
  shell.close()
  await settle()
  expect(callsOf('shellInput')).toEqual([])
  expect(callsOf('shellClose')).toEqual([])
})

test('a refusal is reported', async () => {
  const error = new ApiError('TOO_MANY_SHELLS', 409, '8 shells are open')
  const { states } = await connected({
    shellOpen: () => {
      throw error
    },
  })
  expect(states).toEqual([{ kind: 'refused', error }])
})

test('a stream that breaks off continues, unless the service knows the shell no more', async () => {
  let forgotten = false
  const { states, follows } = await connected({
    shellOutput: () => (forgotten ? gone() : { end: 0, data: '' }),
  })
  follows[0]?.onLost?.()
  await settle()
  expect(states.at(-1)?.kind).toBe('open')
  forgotten = true
  follows[0]?.onLost?.()
  await settle()
  expect(states.at(-1)).toEqual({ kind: 'ended', why: 'the service was started again' })
})

test('a screen that is gone before the shell is open closes it', async () => {
  const { client, calls } = testClient({ shellOpen: { shellId: 's', program: 'sh' } })
  const states: ShellState[] = []
  const screen = { size: () => ({ columns: 1, rows: 1 }), write: () => undefined, focus: () => undefined }
  const shell = connectShell({ client, workerId: 'w', screen, onState: (state) => states.push(state) })
  shell.close()
  await settle()
  expect(calls.map(({ operation }) => operation)).toEqual(['shellOpen', 'shellClose'])
  expect(states).toEqual([])
})
