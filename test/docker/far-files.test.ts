import { chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { remoteFilesPlace, watching } from '../support/far-files-place.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const setup = () => remoteFilesPlace('why' in engine ? '' : engine.dockerHost)

describe('files that are sent to the engine of another machine', () => {
  test('are what a worker there sees, which can change nothing of them', async () => {
    const { open, write, path, folder, see } = await setup()
    write('handler.py', 'print(1)\n')
    write('bin/run', '#!/bin/sh\necho ran\n', 0o755)
    write('data/with blank é.txt', 'text')
    symlinkSync('../handler.py', path('data/link.py'))
    const { source } = await open().send(folder(), watching())
    expect((await see(source, 'find', '.', '-type', 'f')).split('\n').toSorted()).toEqual([
      './bin/run',
      './data/with blank é.txt',
      './handler.py',
    ])
    expect(await see(source, 'bin/run')).toBe('ran')
    expect(await see(source, 'cat', 'data/link.py')).toBe('print(1)')
    await expect(see(source, 'touch', 'handler.py')).rejects.toThrow(/Read-only file system/)
  })

  test('go there once: then only what changed, also for a service that was started again', async () => {
    const { open, write, folder, see } = await setup()
    for (let at = 0; at < 200; at++) write(`package/part${at}.bin`, Buffer.alloc(10_000, at))
    write('handler.py', 'print(1)\n')
    const files = open()
    const first = watching()
    const before = await files.send(folder(), first)
    expect(first.reports.at(-1)).toMatch(/^sending files to box: 100 %, 1\.9 MiB of 1\.9 MiB$/)

    write('handler.py', 'print(2)\n')
    const second = watching()
    const after = await files.send(folder(), second)
    expect(second.reports).toEqual(['sending files to box: 100 %, 9 B of 9 B'])
    expect([await see(before.source, 'cat', 'handler.py'), await see(after.source, 'cat', 'handler.py')]).toEqual([
      'print(1)',
      'print(2)',
    ])

    const third = watching()
    const again = open()
    expect(await again.send(folder(), third)).toEqual(after)
    await again.removeOld(watching()) // what it does by itself is done before the next service is there
    write('handler.py', 'print(3)\n')
    await open().send(folder(), third)
    expect(third.reports).toEqual(['sending files to box: 100 %, 9 B of 9 B'])
  })

  test('are not those of a data folder of Drydock, whose keys are next to a handler in it', async () => {
    const { open, write, folder, see } = await setup()
    write('handler.py', 'print(1)\n')
    write('data/account.key', 'secret')
    write('data/drydock.db', 'secret')
    for (const kind of ['project', 'packed'] as const) {
      const { source } = await open().send(folder(kind), watching())
      expect(await see(source, 'find', '.', '-type', 'f')).toBe('./handler.py')
    }
  })

  test('are one alone where one is asked for', async () => {
    const { open, write, folder, see } = await setup()
    write('authorities.pem', 'public')
    write('authority.key', 'secret')
    const { source } = await open().send({ ...folder(), only: 'authorities.pem' }, watching())
    expect(await see(source, 'find', '.', '-type', 'f')).toBe('./authorities.pem')
  })

  test('follow renamed, removed and newly executable files without their content', async () => {
    const { open, write, path, folder, see } = await setup()
    write('a.sh', 'echo ran\n')
    write('gone.txt', 'x')
    const files = open()
    await files.send(folder(), watching())
    renameSync(path('a.sh'), path('b.sh'))
    chmodSync(path('b.sh'), 0o755)
    rmSync(path('gone.txt'))
    const watch = watching()
    const { source } = await files.send(folder(), watch)
    expect(watch.reports).toEqual([])
    expect(await see(source, 'ls', '-l')).toMatch(/^total \d+\n-rwxr-xr-x +\d+ root +root .* b\.sh$/)
  })

  test('are all of an app that was packed, and of a project what no build leaves out', async () => {
    const { open, write, path, folder, see } = await setup()
    write('handler.py', '')
    write('tests/data.json', '')
    write('.git/HEAD', '')
    write('.env', 'KEY=secret')
    write('server.pem', 'secret')
    write('__pycache__/handler.pyc', '')
    write('environment/pyvenv.cfg', '')
    symlinkSync('/etc/passwd', path('outside'))
    const list = async (kind: 'packed' | 'project') => {
      const { source } = await open().send(folder(kind), watching())
      return (await see(source, 'find', '.', '-type', 'f')).split('\n').toSorted()
    }
    expect(await list('project')).toEqual(['./handler.py', './tests/data.json'])
    expect(await list('packed')).toEqual([
      './.env',
      './.git/HEAD',
      './environment/pyvenv.cfg',
      './handler.py',
      './server.pem',
      './tests/data.json',
    ])
  })

  test('stay while a worker has them or they are the newest of their owner', async () => {
    const { open, write, folder, docker, name } = await setup()
    const files = open()
    write('handler.py', 'print(1)\n')
    const { tree, source } = await files.send(folder(), watching())
    write('handler.py', 'print(2)\n')
    const newest = await files.send(folder(), watching())
    const inStore = async (...argv: readonly string[]) => docker('exec', name, ...argv)
    const trees = async () => (await inStore('sh', '-c', 'cd /files/trees && ls -d *.json')).split('\n').toSorted()
    // As if both had been sent an hour ago.
    await inStore('sh', '-c', 'touch -d "1 hour ago" /files/trees/*.json')
    await inStore('sh', '-c', `touch -d "59 minutes ago" /files/trees/${newest.tree}.json`)
    const worker = await docker('create', '--mount', `type=bind,source=${source},target=/app,readonly`, 'busybox')
    await files.removeOld(watching())
    expect(await trees()).toEqual([`${tree}.json`, `${newest.tree}.json`].toSorted())
    await docker('rm', worker)
    await files.removeOld(watching())
    expect(await trees()).toEqual([`${newest.tree}.json`])
    expect(await inStore('sh', '-c', 'find /files/blobs -type f | wc -l')).toBe('1')
  })

  test('are kept by a container without network, rights and anything of this machine, and go when they are to', async () => {
    const { open, write, folder, docker, name } = await setup()
    write('handler.py', '')
    const files = open()
    await files.send(folder(), watching())
    const [{ HostConfig, Mounts, Config }] = JSON.parse(await docker('inspect', name))
    expect({ ...HostConfig, User: Config.User }).toMatchObject({
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      CapAdd: null,
      Privileged: false,
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
    })
    expect(Mounts.map(({ Type }: { Type: string }) => Type)).toEqual(['volume', 'volume'])
    await files.close()
    expect(await docker('ps', '-aq', '--filter', `name=${name}`)).toBe('')
    const volumes = () => docker('volume', 'ls', '-q', '--filter', `name=${name}`)
    expect(await volumes()).toBe(name)
    await files.removeAll(watching())
    await files.removeAll(watching())
    expect(await volumes()).toBe('')
    await files.send(folder(), watching())
    expect(await volumes()).toBe(name)
  })
})
