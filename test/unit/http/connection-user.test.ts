import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SOMEONE_ELSE } from '../../../src-main/features/keys/rules.ts'
import { userOfConnection } from '../../../src-main/http/server/connection-user.ts'

const CONNECT = 'require("node:net").connect(+process.argv[1], process.argv[2]).on("end", () => process.exit())'

const NOBODY = 65_534

/** Connects to a server as another process does. @param uid its user; undefined: the same user */
async function connectionFrom(uid: number | undefined, [listensOn, host]: readonly [string, string]) {
  const server = createServer().listen(0, listensOn)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const arrived = once(server, 'connection')
  const program = spawn(process.execPath, ['-e', CONNECT, String(port), host], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: 'inherit',
  })
  const [socket] = (await arrived) as [Socket]
  onTestFinished(() => void socket.destroy())
  return { socket, program }
}

const ADDRESSES = [
  ['127.0.0.1', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::', '::ffff:127.0.0.1'],
  ['::1', '::1'],
] as const

beforeEach(({ skip }) => {
  const { platform } = process
  skip(!['linux', 'darwin'].includes(platform), `${platform} does not tell`)
})

test.for(ADDRESSES)('a connection to %s by %s belongs to the user of its process', async (addresses) => {
  const { socket } = await connectionFrom(undefined, addresses)
  expect(await userOfConnection(socket)).toBe(process.getuid?.())
})

test.for(ADDRESSES)('a connection of another user to %s by %s belongs to that user', async (addresses, { skip }) => {
  skip(process.getuid?.() !== 0, 'only root can start a process of another user')
  const { socket } = await connectionFrom(NOBODY, addresses)
  expect(await userOfConnection(socket)).toBe(NOBODY)
})

test('a connection from elsewhere has no user of this machine, and one that is closed may be of anybody', async () => {
  const { socket, program } = await connectionFrom(undefined, ['127.0.0.1', '127.0.0.1'])
  const { localAddress, localPort, remoteAddress, remotePort } = socket
  const ends = { localAddress, localPort, remoteAddress, remotePort }
  expect(await userOfConnection({ ...ends, remoteAddress: '192.0.2.1' })).toBeUndefined()
  expect(await userOfConnection({})).toBe(SOMEONE_ELSE)
  socket.end()
  await once(program, 'exit')
  expect(await userOfConnection(ends)).toBe(SOMEONE_ELSE)
  // No interface lists this address of the loopback network.
  expect(await userOfConnection({ ...ends, remoteAddress: '127.0.0.2' })).toBe(SOMEONE_ELSE)
})
