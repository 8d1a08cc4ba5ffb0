import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ConnectionBroken, Refused } from '../../../../src-main/runtimes/remote/conversation.ts'
import { createHubClient } from '../../../../src-main/runtimes/swarm/hub-client.ts'
import { temporaryFolder } from '../../app/cli/support.ts'

const WISH = { tree: 'a'.repeat(64), container: 'drydock-x-files', from: '10.0.0.2:1', to: '10.0.0.3:1' }

/** A hub that answers each wish with these pieces and ends, or goes on to be silent. */
async function copy(pieces: readonly string[], { ends = true, signal = new AbortController().signal } = {}) {
  const socket = join(temporaryFolder(), 'hub.sock')
  const wishes: unknown[] = []
  const server = createServer((client) => {
    client.once('data', async (line) => {
      wishes.push(JSON.parse(line.toString()))
      for (const piece of pieces) await new Promise((done) => client.write(piece, done))
      if (ends) client.end()
    })
    client.on('error', () => undefined)
  })
  await new Promise<void>((done) => server.listen(socket, done))
  onTestFinished(() => void server.close())
  const progress: number[][] = []
  const hub = createHubClient(async () => socket)
  const copying = hub.copyTree(WISH, (sent, of) => void progress.push([sent, of]), signal)
  return { copying, wishes, progress }
}

test('a tree is copied when the hub says so, with how far it is', async () => {
  const { copying, wishes, progress } = await copy([
    '{"sent": 1, "of"',
    ': 4}\n{"sent": 4, "of": 4}\n{"given": "a"}\no',
    'k\n',
  ])
  await copying
  expect({ wishes, progress }).toEqual({
    wishes: [WISH],
    progress: [
      [1, 4],
      [4, 4],
    ],
  })
})

test('a refusal by the store of a node is passed on unchanged', async () => {
  const { copying } = await copy(['{"failed": "full", "freeBytes": 1}\nit broke\n'])
  await expect(copying).rejects.toThrow(Refused)
  await expect(copying).rejects.toMatchObject({ failure: { failed: 'full', freeBytes: 1 } })
})

test.each([
  ['an end without an answer', [], 'the hub of the swarm does not answer'],
  ['a break in the middle', ['{"sent": 1, "of": 4}\n'], 'does not answer'],
  ['a reason', ['the connection between the nodes broke\n'], 'the connection between the nodes broke'],
])('%s can be tried again', async (_what, pieces, message) => {
  const { copying } = await copy(pieces)
  await expect(copying).rejects.toThrow(ConnectionBroken)
  await expect(copying).rejects.toThrow(message)
})

test('a caller that gives up waits no longer', async () => {
  const stop = new AbortController()
  const { copying, progress } = await copy(['{"sent": 1, "of": 4}\n'], { ends: false, signal: stop.signal })
  await expect.poll(() => progress).toEqual([[1, 4]])
  stop.abort(new Error('it was asked to stop'))
  await expect(copying).rejects.toThrow('it was asked to stop')
})
