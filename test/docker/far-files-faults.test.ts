import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { MIB } from '../../src-main/lib/units.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { remoteFilesPlace, watching } from '../support/far-files-place.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const dockerHost = 'why' in engine ? '' : engine.dockerHost
const setup = () => remoteFilesPlace(dockerHost)
const LARGE = 4 * MIB

/** Somebody who waits, and does something at each percent. */
function meddling(meddle: (report: string) => void) {
  const watch = watching()
  return {
    ...watch,
    report(text: string) {
      watch.report(text)
      meddle(text)
    },
  }
}

describe('a folder that is sent to the engine of another machine', () => {
  test('continues after a break where it was, in the middle of a file too', async () => {
    const proxy = await cuttingProxy(dockerHost)
    const { open, write, folder, see } = await remoteFilesPlace(dockerHost, `tcp://127.0.0.1:${proxy.port}`)
    for (const name of ['a', 'b', 'c']) write(name, randomBytes(LARGE))
    proxy.cutAfter(1.5 * LARGE)
    const watch = watching()
    const { source } = await open().send(folder(), watch)
    expect(watch.reports).toContain(
      'the connection to box was lost while files were sent; sending resumes when it is back',
    )
    expect(proxy.cuts()).toBe(1)
    expect(proxy.counted().there).toBeLessThan(3 * LARGE + LARGE / 2)
    expect(await see(source, 'du', '-b', 'a', 'b', 'c')).toBe(
      ['a', 'b', 'c'].map((name) => `${LARGE}\t${name}`).join('\n'),
    )
  })

  test('continues when the container that takes it was killed', async () => {
    const { open, write, folder, see, docker, name } = await setup()
    for (const file of ['a', 'b', 'c']) write(file, randomBytes(LARGE))
    let killed: Promise<string> | undefined
    const watch = meddling(() => {
      killed ??= docker('kill', name)
    })
    const { source } = await open().send(folder(), watch)
    await killed
    expect(await see(source, 'ls')).toBe('a\nb\nc')
  })

  test('is refused with the reason where its disk has no room, before it comes', async () => {
    const { open, write, folder, docker, name } = await setup()
    await docker('volume', 'create', '--opt', 'type=tmpfs', '--opt', 'device=tmpfs', '--opt', 'o=size=2m', name)
    write('a', randomBytes(LARGE))
    const watch = watching()
    await expect(open().send(folder(), watch)).rejects.toThrow(
      /could not be sent to box: its disk is full \(\S+ MiB are free, and 4\.0 MiB are needed\)\. Free some space there/,
    )
    expect(watch.reports).toEqual([])
  })

  test('is sent as it is in the end when files change or go meanwhile', async () => {
    const { open, write, folder, path, see } = await setup()
    write('a', randomBytes(LARGE))
    write('b', 'before')
    write('c', 'gone')
    let isDone = false
    const watch = meddling(() => {
      if (isDone) return
      isDone = true
      write('b', 'after!') // of the same size
      rmSync(path('c'))
    })
    const { source } = await open().send(folder(), watch)
    expect(await see(source, 'ls')).toBe('a\nb')
    expect(await see(source, 'cat', 'b')).toBe('after!')
  })

  test('is given up with the reason when it never stands still', async () => {
    const { open, write, folder, path } = await setup()
    const change = () => write('a', randomBytes(LARGE))
    change()
    await expect(open().send(folder(), meddling(change))).rejects.toThrow(
      `${path('')} changes faster than it can be sent to box`,
    )
  })

  test('is broken off by whoever waits, and sent whole to the next one', async () => {
    const { open, write, folder, see } = await setup()
    write('a', randomBytes(LARGE))
    write('b', randomBytes(LARGE))
    const files = open()
    const controller = new AbortController()
    const watch = meddling(() => controller.abort(new Error('the job was cancelled')))
    await expect(files.send(folder(), { ...watch, signal: controller.signal })).rejects.toThrow('the job was cancelled')
    const { source } = await files.send(folder(), watching())
    expect(await see(source, 'ls')).toBe('a\nb')
  })

  test('is refused with the reason where no engine answers', async () => {
    const { open, write, folder } = await remoteFilesPlace(dockerHost, 'unix:///nowhere/docker.sock')
    write('a', '')
    await expect(open().send(folder(), watching())).rejects.toThrow(/could not be sent to box: a test .* ENOENT/)
  })
})
