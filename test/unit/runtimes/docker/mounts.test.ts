import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { findMounts, givesEngine } from '../../../../src-main/runtimes/docker/mounts.ts'

const SOCKET = '/srv/engine/my.sock'

describe('a path that would give the engine', () => {
  it.each([
    ['/var/run/docker.sock'],
    ['/run/docker.sock'],
    ['/run/docker.sock/'],
    ['//run///docker.sock'],
    ['/var/run/../run/docker.sock'],
    ['/srv/../var/run/docker.sock'],
    ['/'],
    ['//'],
    ['/..'],
    ['/var'],
    ['/var/'],
    ['/run'],
    ['/var/run'],
    ['/run/docker/metrics.sock'],
    ['/run/containerd'],
    ['/run/podman/podman.sock'],
    ['/home/ada/.docker/run/docker.sock'],
    ['/var/run/docker.sock.raw'],
    ['/private/var/run'],
    ['/mnt/docker-cli.sock'],
    [SOCKET],
    ['/srv/engine'],
    ['/srv'],
  ])('is %s', (path) => {
    expect(givesEngine([path], { sockets: [SOCKET], ignoreCase: false })).toBe(true)
  })

  it.each([
    ['/home/ada/models'],
    ['/var/lib/models'],
    ['/running'],
    ['/run/user/1000/notes'],
    ['/srv/engine/other'],
    ['/srv/engine2'],
    ['/home/ada/docker'],
    ['/home/ada/docker.sock.d/x'],
  ])('is not %s', (path) => {
    expect(givesEngine([path], { sockets: [SOCKET], ignoreCase: false })).toBe(false)
  })

  it('is one in any case of letters where the file system knows none', () => {
    for (const path of ['/VAR/Run/Docker.Sock', '/SRV/ENGINE']) {
      expect(givesEngine([path], { sockets: [SOCKET], ignoreCase: true })).toBe(true)
      expect(givesEngine([path], { sockets: [SOCKET], ignoreCase: false })).toBe(false)
    }
  })

  it('is one in whichever of its spellings', () => {
    expect(givesEngine(['/home/ada/link', '/run/docker.sock'], { sockets: [], ignoreCase: false })).toBe(true)
  })
})

/** A folder with `models`, a socket of an engine in `engine`, and links to both. */
function setup() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...names: string[]) => join(folder, ...names)
  for (const name of ['models', 'engine', 'work']) mkdirSync(at(name))
  writeFileSync(at('engine/api.sock'), '')
  writeFileSync(at('work/handler.py'), '')
  symlinkSync('models', at('link'))
  symlinkSync('engine/api.sock', at('link-to-socket'))
  symlinkSync('engine', at('link-to-engine'))
  const find = (sources: readonly string[], handler?: string, image?: string, callsHosts?: readonly string[]) =>
    findMounts(
      {
        handler,
        callsHosts,
        container: containerSettings.parse({
          image,
          volumes: sources.map((source) => ({ source, target: '/there', readOnly: true })),
        }),
      },
      // The engine is known by a link, as /var/run is one on most systems.
      {
        pythonPath: '/drydock/python',
        bundle: async () => '/data/tls/bundle.pem',
        sockets: [at('link-to-engine/api.sock')],
        platform: process.platform,
      },
    )
  return { at, find }
}

describe('the volumes of an endpoint', () => {
  it('are the real folders, and named volumes as they are', async () => {
    const { at, find } = setup()
    expect(await find([at('link'), at('models/../models/'), 'a-volume'])).toEqual([
      { type: 'bind', source: at('models'), target: '/there', readOnly: true },
      { type: 'bind', source: at('models'), target: '/there', readOnly: true },
      { type: 'volume', source: 'a-volume', target: '/there', readOnly: true },
    ])
  })

  it.each(['engine/api.sock', 'engine', 'link-to-socket', 'link-to-engine', 'link-to-engine/../engine/api.sock', '.'])(
    'are refused where they give the engine: %s',
    async (name) => {
      const { at, find } = setup()
      await expect(find([at(name)])).rejects.toThrow(
        `the volume ${at(name)}:/there would give the container control of the Docker engine, and with it of this machine`,
      )
    },
  )

  it('are refused where a socket of an engine has no file here', async () => {
    await expect(setup().find(['/run/podman/podman.sock'])).rejects.toThrow(
      'would give the container control of the Docker engine',
    )
  })

  it('say which folder is missing', async () => {
    const { at, find } = setup()
    await expect(find([at('none')])).rejects.toThrow(
      `the volume ${at('none')}:/there: there is no ${at('none')} on this machine. Create it first`,
    )
    await expect(find([at('work/handler.py/below')])).rejects.toThrow('there is no')
  })
})

test('a worker that calls endpoints as hosts gets the authorities that it trusts', async () => {
  expect(await setup().find([], undefined, undefined, ['flash'])).toEqual([
    { type: 'bind', source: '/data/tls/bundle.pem', target: '/opt/drydock/authorities.pem', readOnly: true },
  ])
})

describe('the folder of a handler', () => {
  it('is where the handler really is', async () => {
    const { at, find } = setup()
    symlinkSync('work', at('link-to-work'))
    const code = { type: 'bind', source: at('work'), target: '/app', readOnly: true }
    expect(await find([], at('link-to-work/handler.py'))).toEqual([code])
  })

  it('comes before the volumes, and with svc_worker where an image of others lacks that', async () => {
    const { at, find } = setup()
    expect(await find(['a-volume'], at('work/handler.py'), 'an-image')).toEqual([
      { type: 'bind', source: at('work'), target: '/app', readOnly: true },
      { type: 'bind', source: '/drydock/python', target: '/opt/drydock/python', readOnly: true },
      { type: 'volume', source: 'a-volume', target: '/there', readOnly: true },
    ])
  })

  it('is refused where it holds the engine', async () => {
    const { at, find } = setup()
    writeFileSync(at('handler.py'), '')
    await expect(find([], at('handler.py'))).rejects.toThrow(
      /^the folder of the handler .* would give the container control of the Docker engine.* Put the handler into a folder of its own$/,
    )
  })
})
