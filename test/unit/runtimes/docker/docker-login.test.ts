import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dockerLogin } from '../../../../src-main/runtimes/docker/docker-login.ts'

const HUB = 'https://index.docker.io/v1/'
const auth = (text: string) => ({ auth: Buffer.from(text).toString('base64') })

/** A home folder with what docker login has stored, and programs of a keychain. */
function setup(config: unknown, helpers: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, '.docker'))
  writeFileSync(join(home, '.docker/config.json'), typeof config === 'string' ? config : JSON.stringify(config))
  for (const [name, script] of Object.entries(helpers)) {
    const path = join(home, `docker-credential-${name}`)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }
  const env = { PATH: `${home}:${process.env.PATH}` }
  return { home, env, login: (registry: string) => dockerLogin({ env, home }, registry) }
}

describe('the login in the file of docker', () => {
  it.each([
    ['ghcr.io', 'ghcr.io'],
    ['https://ghcr.io', 'ghcr.io'],
    ['https://ghcr.io/v1/', 'ghcr.io'],
  ])('is found under the name %s', async (name, registry) => {
    const { login } = setup({ auths: { other: auth('x:y'), [name]: auth('ada:a:colon') } })
    expect(await login(registry)).toEqual({ username: 'ada', password: 'a:colon', serveraddress: 'ghcr.io' })
  })

  it('of Docker Hub is under its old address', async () => {
    const { login } = setup({ auths: { [HUB]: auth('ada:secret') } })
    expect(await login('docker.io')).toEqual({ username: 'ada', password: 'secret', serveraddress: HUB })
  })

  it('may be a token', async () => {
    const { login } = setup({ auths: { 'ghcr.io': { auth: '', identitytoken: 'tok' } } })
    expect(await login('ghcr.io')).toEqual({ identitytoken: 'tok', serveraddress: 'ghcr.io' })
  })

  it.each([
    ['is of another registry', { auths: { 'ghcr.io.example.com': auth('ada:x') } }],
    ['is empty, as a keychain leaves it', { auths: { 'ghcr.io': {} } }],
    ['is damaged', { auths: { 'ghcr.io': { auth: 'no colon in it' } } }],
    ['is in a file that is damaged', '{'],
    ['is in a file of another form', [1]],
  ])('counts for nothing where it %s', async (_name, config) => {
    expect(await setup(config).login('ghcr.io')).toBeUndefined()
  })

  it('is looked for where DOCKER_CONFIG says', async () => {
    const { home } = setup({ auths: { 'ghcr.io': auth('ada:x') } })
    const env = { DOCKER_CONFIG: join(home, '.docker') }
    expect(await dockerLogin({ env, home: '/nowhere' }, 'ghcr.io')).toMatchObject({ username: 'ada' })
  })
})

describe('a program of a keychain', () => {
  // It says for which address it was asked.
  const ANSWERS = `[ "$1" = get ] && read -r address; printf '{"Username":"ada","Secret":"for %s"}' "$address"`

  it('is asked for the registry, the one of all registries and the one of this before it', async () => {
    const { login } = setup(
      { credsStore: 'all', credHelpers: { 'ghcr.io': 'this' }, auths: { 'quay.io': auth('x:y') } },
      { all: ANSWERS, this: ANSWERS.replace('ada', 'grace') },
    )
    expect(await login('ghcr.io')).toEqual({ username: 'grace', password: 'for ghcr.io', serveraddress: 'ghcr.io' })
    expect(await login('docker.io')).toEqual({ username: 'ada', password: `for ${HUB}`, serveraddress: HUB })
  })

  it('may give a token', async () => {
    const { login } = setup({ credsStore: 'all' }, { all: `printf '{"Username":"<token>","Secret":"tok"}'` })
    expect(await login('ghcr.io')).toEqual({ identitytoken: 'tok', serveraddress: 'ghcr.io' })
  })

  it('may know nothing', async () => {
    const { login } = setup({ credsStore: 'all' }, { all: 'echo credentials not found in native keychain; exit 1' })
    expect(await login('ghcr.io')).toBeUndefined()
  })

  it.each([
    ['fails', { all: 'echo locked; exit 1' }, 'docker-credential-all failed: locked'],
    ['is not there', {}, 'docker-credential-all cannot be run'],
  ])('is told of by its name when it %s', async (_name, helpers, words) => {
    await expect(setup({ credsStore: 'all' }, helpers).login('ghcr.io')).rejects.toThrow(words)
  })

  it('is run only under a name that is one', async () => {
    await expect(setup({ credsStore: '../../bin/sh' }).login('ghcr.io')).rejects.toThrow('has an invalid name')
  })
})
