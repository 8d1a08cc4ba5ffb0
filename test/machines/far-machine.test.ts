import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type RemoteMachine, remoteMachine, sshOfUser } from '../support/far-machine.ts'

const made = await Promise.all([remoteMachine(), remoteMachine()])
const why = made.flatMap((machine) => ('why' in machine ? [machine.why] : []))[0]
const machines = made.filter((machine): machine is RemoteMachine => !('why' in machine))

beforeEach(({ skip }) => skip(why !== undefined, why))
afterAll(() => Promise.all(machines.map(({ stop }) => stop())))

const execute = promisify(execFile)

/** Both machines, and an `ssh` that knows them. */
function setup(more: readonly string[] = []) {
  const [first, second] = machines
  if (first === undefined || second === undefined) throw new Error('there are no two machines')
  const user = sshOfUser(machines, more)
  onTestFinished(user.remove)
  const ssh = async (...argv: readonly string[]) =>
    (await execute('ssh', ['-o', 'BatchMode=yes', ...argv], { env: { ...process.env, PATH: user.searchPath } })).stdout
  const docker = async (machine: RemoteMachine, ...argv: readonly string[]) =>
    (await execute('docker', ['-H', machine.dockerHost, ...argv])).stdout.trim()
  return { first, second, ssh, docker }
}

describe('other machines for tests', () => {
  it('are reached by their names, two at once, each with an engine of its own', async () => {
    const { first, second, ssh, docker } = setup()
    for (const machine of [first, second]) {
      expect((await ssh(machine.name, 'hostname')).trim()).toBe(machine.name)
      expect((await ssh(machine.name, "docker info --format '{{.Name}}'")).trim()).toBe(machine.name)
    }
    await docker(first, 'volume', 'create', 'one')
    expect(await docker(second, 'volume', 'ls', '--quiet')).toBe('')
    expect(await docker(second, 'run', '--rm', 'busybox', 'echo', 'ran')).toBe('ran')
  })

  it('see neither the checkout nor the temporary files of this one', async () => {
    const { first, ssh } = setup()
    expect(await ssh(first.name, `ls -A ${process.cwd()} ${process.env.TMPDIR ?? '/tmp'} | grep -v :$ | xargs`)).toBe(
      '\n',
    )
  })

  it('say nothing while their cable is out, and go on with a connection when it is in again', async () => {
    const { first, ssh } = setup(['ConnectTimeout 1'])
    const counting = ssh(first.name, 'for i in 1 2 3 4; do echo $i; sleep 0.5; done')
    await expect.poll(() => first.run('pgrep', '-f', 'sleep 0.5').catch(() => '')).not.toBe('')
    await first.link('down')
    await expect(ssh(first.name, 'true')).rejects.toThrow('timed out')
    await first.link('up')
    expect(await counting).toBe('1\n2\n3\n4\n')
  })

  it('refuse who comes while their sshd is dead, and break what is open', async () => {
    const { second, ssh } = setup()
    const broken = expect(ssh(second.name, 'sleep 1000')).rejects.toThrow('closed by')
    await expect.poll(() => second.run('pgrep', '-f', 'sleep 1000').catch(() => '')).not.toBe('')
    await second.killSshd()
    await broken
    await expect(ssh(second.name, 'true')).rejects.toThrow('Connection refused')
    await second.startSshd()
    expect(await ssh(second.name, 'echo again')).toBe('again\n')
  })

  it('end their containers with their engine, and begin again with its images', async () => {
    const { second, docker } = setup()
    await docker(second, 'run', '--detach', '--init', 'busybox', 'sleep', '1000')
    await second.killEngine()
    await expect(docker(second, 'ps')).rejects.toThrow()
    await second.startEngine()
    expect(await docker(second, 'ps', '--quiet')).toBe('')
    expect(await docker(second, 'images', '--quiet', 'busybox')).not.toBe('')
  })
})
