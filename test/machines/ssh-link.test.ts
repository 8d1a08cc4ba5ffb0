import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { SshTarget } from '../../src-main/runtimes/remote/ssh-command.ts'
import { createSshLink, type SshLink } from '../../src-main/runtimes/remote/ssh-link.ts'
import { realClock, silent } from '../conformance/process-place.ts'
import { remoteMachine, sshOfUser } from '../support/far-machine.ts'

const made = await remoteMachine()

beforeEach(({ skip }) => skip('why' in made, 'why' in made ? made.why : ''))
afterAll(() => ('why' in made ? undefined : made.stop()))

/** The machine, and what links to it, with more lines of the user's configuration before those of the machine. */
function setup() {
  if ('why' in made) throw new Error(made.why)
  const folder = mkdtempSync(join(tmpdir(), 'drydock-link-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const linked = ({ more = [], target = {} }: { more?: readonly string[]; target?: Partial<SshTarget> } = {}) => {
    const user = sshOfUser([made], more)
    onTestFinished(user.remove)
    const link = createSshLink({
      target: { to: made.name, ...target },
      env: { ...process.env, PATH: user.searchPath },
      clock: realClock,
      log: silent,
      folder: join(folder, 's'),
    })
    onTestFinished(link.close)
    return link
  }
  return { machine: made, folder, linked }
}

const stateOf = (link: SshLink, state: string) => expect.poll(() => link.status().state).toBe(state)
const reasonOf = (link: SshLink) => expect.poll(() => link.status().reason)

/** Keeps the engine of the machine at a socket here; gives what asks it. */
async function keptEngine(link: SshLink): Promise<() => Promise<string>> {
  await link.keep(({ folder, forward }) =>
    forward({ way: '-L', from: join(folder, 'engine'), to: '/var/run/docker.sock' }),
  )
  return async () => {
    const { folder } = await link.connection()
    return new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath: join(folder, 'engine'), path: '/info' }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve(JSON.parse(text).Name)
      })
      asked.on('error', reject)
      asked.end()
    })
  }
}

describe('a link by ssh', () => {
  it('runs scripts and reaches the engine over one connection, and leaves nothing behind', async () => {
    const { machine, folder, linked } = setup()
    const link = linked()
    const { run } = await link.connection()
    expect(await run('hostname; echo "$HOME"')).toBe(`${machine.name}\n/root\n`)
    await expect(run('echo no >&2; exit 3')).rejects.toThrow(/^no$/)
    const engineName = await keptEngine(link)
    expect(await engineName()).toBe(machine.name)
    // The listener, and the processes of one connection.
    expect((await machine.run('pgrep', '-c', '-f', 'sshd: root@')).trim()).toBe('1')
    await link.close()
    await expect.poll(() => machine.run('pgrep', '-c', '-f', 'sshd: root@').catch(() => 'none')).toBe('none')
    expect(readdirSync(folder)).toEqual([])
  })

  it('ends there when this process is gone', async () => {
    const { machine, linked } = setup()
    const link = linked()
    await link.connection()
    expect(await machine.run('pgrep', '-x', 'cat')).not.toBe('')
    await link.close()
    await expect.poll(() => machine.run('pgrep', '-x', 'cat').catch(() => 'none')).toBe('none')
  })

  it('is brought back with its forwards after sshd was killed, with the words of ssh meanwhile', async () => {
    const { machine, linked } = setup()
    const link = linked()
    await link.connection()
    const engineName = await keptEngine(link)
    await machine.killSshd()
    await reasonOf(link).toContain('Connection refused')
    await expect(link.connection()).rejects.toThrow('Connection refused')
    await machine.startSshd()
    await stateOf(link, 'connected')
    expect(await engineName()).toBe(machine.name)
  })

  it('notices a cable that is out, and is brought back when it is in again', async () => {
    const { machine, linked } = setup()
    const link = linked()
    await link.connection()
    const engineName = await keptEngine(link)
    await machine.link('down')
    await reasonOf(link).toContain('not responding')
    await machine.link('up')
    await stateOf(link, 'connected')
    expect(await engineName()).toBe(machine.name)
  })

  it('stops at a host key that changed or that nobody knows, with the words of ssh', async () => {
    const { machine, linked } = setup()
    await machine.changeHostKey()
    const changed = linked()
    await reasonOf(changed).toMatch(/REMOTE HOST IDENTIFICATION HAS CHANGED!.*SHA256:.*Host key verification failed\.$/)
    await changed.close()
    const unknown = linked({ more: ['UserKnownHostsFile /dev/null'] })
    await reasonOf(unknown).toMatch(/No ED25519 host key is known for .* Host key verification failed\.$/)
    await unknown.close()
    await machine.knowHostKey()
    await linked().connection()
  })

  it('says that its key was refused, that there is no such host, that nobody listens', async () => {
    const { linked } = setup()
    const refused = linked({ more: ['PubkeyAuthentication no'] })
    await reasonOf(refused).toContain('Permission denied (publickey).')
    await refused.close()
    const nowhere = linked({ target: { to: 'no-such-host.invalid' } })
    await reasonOf(nowhere).toContain('Could not resolve hostname')
    await nowhere.close()
    const closedPort = linked({ target: { port: 9 } })
    await reasonOf(closedPort).toContain('Connection refused')
  })

  it('counts as unreachable while what it has to keep cannot be made', async () => {
    const { machine, linked } = setup()
    const link = linked()
    await link.connection()
    await expect(link.keep(() => Promise.reject(new Error('not to be had')))).rejects.toThrow('not to be had')
    let works = true
    await link.keep(async () => {
      if (!works) throw new Error('not any more')
    })
    works = false
    await machine.killSshd()
    await machine.startSshd()
    await reasonOf(link).toBe('not any more')
    works = true
    await stateOf(link, 'connected')
  })
})
