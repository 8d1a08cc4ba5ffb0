import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { engineAddresses, engineSockets } from '../../../../src-main/runtimes/docker/find-engine.ts'

// Engines of this machine must not count.
const ours = <T extends { readonly host: string }>(home: string, places: readonly T[]) =>
  places.filter(({ host }) => host.includes(home))

/** A home folder with these files. */
function setup(files: Readonly<Record<string, unknown>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const look = (env: Readonly<Record<string, string>> = {}, platform: NodeJS.Platform = 'linux') =>
    engineAddresses({ env, home, platform })
  return { home, look }
}

const hashOf = (name: string) => createHash('sha256').update(name).digest('hex')
const metaOf = (name: string) => `.docker/contexts/meta/${hashOf(name)}/meta.json`
const endpoint = (Host: string) => ({ Endpoints: { docker: { Host } } })
const COLIMA = { host: 'unix:///colima.sock', source: 'the context colima' }

describe('the places of an engine', () => {
  it('are DOCKER_HOST alone, where it is set', () => {
    const { look } = setup({ '.docker/config.json': { currentContext: 'colima' }, '.docker/run/docker.sock': '' })
    expect(look({ DOCKER_HOST: 'tcp://127.0.0.1:2375' })).toEqual([
      { host: 'tcp://127.0.0.1:2375', source: 'DOCKER_HOST' },
    ])
  })

  it('are the current context of the docker command alone', () => {
    const { look } = setup({
      '.docker/config.json': { currentContext: 'colima' },
      [metaOf('colima')]: endpoint('unix:///colima.sock'),
      '.docker/run/docker.sock': '',
    })
    expect(look({ DOCKER_HOST: '' })).toEqual([COLIMA])
  })

  it('are the context that the environment names, in the folder that it names', () => {
    const { home, look } = setup({
      '.docker/config.json': { currentContext: 'other' },
      [metaOf('colima')]: endpoint('unix:///colima.sock'),
    })
    expect(look({ DOCKER_CONTEXT: 'colima', DOCKER_CONFIG: join(home, '.docker') })).toEqual([COLIMA])
  })

  it.each([
    ['there is no such context', { '.docker/config.json': { currentContext: 'gone' } }],
    ['the context is the default', { '.docker/config.json': { currentContext: 'default' } }],
    ['the file of the docker command is damaged', { '.docker/config.json': '{' }],
    ['there is no such file', {}],
  ])('are the sockets that there are, where %s', (_name, files) => {
    const { home, look } = setup({ ...files, '.docker/run/docker.sock': '', '.colima/default/docker.sock': '' })
    expect(ours(home, look())).toEqual([
      { host: `unix://${home}/.docker/run/docker.sock`, source: 'a usual place' },
      { host: `unix://${home}/.colima/default/docker.sock`, source: 'a usual place' },
    ])
  })

  it('are those of a rootless engine and of Podman too', () => {
    const { home, look } = setup({ 'run/docker.sock': '', 'run/podman/podman.sock': '' })
    expect(ours(home, look({ XDG_RUNTIME_DIR: join(home, 'run') })).map(({ host }) => host)).toEqual([
      `unix://${home}/run/docker.sock`,
      `unix://${home}/run/podman/podman.sock`,
    ])
  })

  it('are pipes on Windows', () => {
    expect(
      setup()
        .look({}, 'win32')
        .map(({ host }) => host),
    ).toEqual(['npipe://./pipe/docker_engine', 'npipe://./pipe/podman-machine-default'])
  })
})

it('the sockets of an engine are those places that are files', () => {
  const { home } = setup()
  const socketsOf = (DOCKER_HOST: string) => engineSockets({ env: { DOCKER_HOST }, home, platform: 'linux' })
  expect(socketsOf('unix:///srv/engine.sock')).toEqual(['/srv/engine.sock'])
  expect(socketsOf('tcp://127.0.0.1:2375')).toEqual([])
})
