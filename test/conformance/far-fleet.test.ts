import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach } from 'vitest'
import { freePort } from '../../src-main/http/server/listen.ts'
import { remoteHost } from '../../src-main/runtimes/remote/remote-machine.ts'
import { createSshLink } from '../../src-main/runtimes/remote/ssh-link.ts'
import { type RemoteMachine, remoteMachine, sshOfUser } from '../support/far-machine.ts'
import { dockerPlace, noTunnel } from './docker-place.ts'
import { describeFleet } from './fleet.ts'
import { realClock, silent } from './process-place.ts'

const machine = await remoteMachine()

beforeEach(({ skip }) => skip('why' in machine, 'why' in machine ? machine.why : ''))

const linked = 'why' in machine ? undefined : link(machine)
afterAll(async () => {
  await linked?.close()
  if (!('why' in machine)) await machine.stop()
})

function link(machine: RemoteMachine) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-far-'))
  const user = sshOfUser([machine])
  const sshLink = createSshLink({
    target: { to: machine.name },
    env: { ...process.env, PATH: user.searchPath },
    clock: realClock,
    log: silent,
    folder: join(folder, 's'),
  })
  return {
    sshLink,
    async close() {
      await sshLink.close()
      user.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeFleet('docker by ssh', () => {
  if ('why' in machine || linked === undefined) throw new Error('there is no other machine')
  return dockerPlace(machine.dockerHost, {
    elsewhere: {
      place: remoteHost({
        machine: machine.name,
        link: linked.sshLink,
        log: silent,
        // Workers of the suite have no files of this machine.
        files: { send: () => Promise.reject(new Error('no files are sent here')) },
        pythonPath: '/nowhere',
        networkVolumes: '/nowhere',
        bundle: async () => '/nowhere',
        freePort,
        openForWorkers: noTunnel,
      }),
      signal: (pid, name) => void machine.runNow('kill', '-s', name, pid),
    },
  })
})
