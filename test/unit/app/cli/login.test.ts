import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOW, sendError, setupCli } from './support.ts'

const INFO = {
  version: '1.2.3',
  pid: 1,
  url: 'http://127.0.0.1:8790',
  data: '/data',
  startedAt: NOW,
  endpoints: 0,
  jobs: { inQueue: 0, inProgress: 0 },
  lateResults: 0,
}

// Nothing of the shell names a service or a key.
const ENV = { SVC_BASE_URL: '', SVC_API_KEY: '' }

async function setup(answers: Parameters<typeof setupCli>[0] = { 'GET /api/info': INFO }) {
  const { folder, service, run } = await setupCli(answers)
  const file = join(folder, '.config', 'svc', 'credentials.json')
  const { url } = service
  const login = (given: Parameters<typeof run>[1] = { stdin: 'secret-key\n' }) =>
    run(['login', '--url', url], { env: ENV, ...given })
  return { folder, service, url, file, run, login, written: () => JSON.parse(readFileSync(file, 'utf8')) }
}

test('login checks the key and keeps it with its address, and the key is printed nowhere', async () => {
  const { service, url, file, login, written } = await setup()
  const { exitCode, stdout, stderr } = await login()
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: `Logged in to ${url} (Drydock 1.2.3). The key is in ${file}.\n`,
    stderr: '',
  })
  expect(service.seen).toMatchObject([{ line: 'GET /api/info', key: 'Bearer secret-key' }])
  expect(written()).toEqual({ url, key: 'secret-key' })
})

test('the file of a login is for its owner only, also where the folder was open before', async () => {
  const { folder, file, login } = await setup()
  mkdirSync(join(folder, '.config', 'svc'), { recursive: true })
  chmodSync(join(folder, '.config', 'svc'), 0o755)
  writeFileSync(file, '{}', { mode: 0o644 })
  await login()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, '.config', 'svc')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(folder, '.config', 'svc'))).toEqual(['credentials.json'])
})

test('the file is where XDG_CONFIG_HOME says', async () => {
  const { folder, login } = await setup()
  await login({ env: { ...ENV, XDG_CONFIG_HOME: join(folder, 'mine') }, stdin: 'k' })
  expect(existsSync(join(folder, 'mine', 'svc', 'credentials.json'))).toBe(true)
})

test('commands after a login use its address and key', async () => {
  const { service, run, login } = await setup({ 'GET /api/info': INFO, 'GET /api/apps': { apps: [] } })
  await login()
  expect(await run(['app', 'list'], { env: ENV })).toMatchObject({ exitCode: 0 })
  expect(service.seen[1]).toMatchObject({ line: 'GET /api/apps', key: 'Bearer secret-key' })
})

test('a person is asked for the key', async () => {
  const { login, written } = await setup()
  expect(await login({ person: { secret: 'typed' } })).toMatchObject({ exitCode: 0, asked: ['Account key:'] })
  expect(written()).toMatchObject({ key: 'typed' })
})

test('an abandoned login keeps the previous one', async () => {
  const { login, written } = await setup()
  await login()
  expect(await login({ person: {} })).toMatchObject({ exitCode: 1, stderr: 'drydock: You are logged in as before.\n' })
  expect(written()).toMatchObject({ key: 'secret-key' })
})

test('a key that the service refuses is not kept', async () => {
  const { file, login } = await setup({
    'GET /api/info': (response: Parameters<typeof sendError>[0]) => sendError(response, 401, 'UNAUTHORIZED', 'No key.'),
  })
  expect(await login()).toMatchObject({ exitCode: 1, stderr: 'drydock: No key.\n' })
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['no address', ['login'], /Name the service: drydock login --url/],
  ['a key as an argument', ['login', 'secret-key'], /too many arguments/],
  ['no key', ['login', '--url', 'http://127.0.0.1:1'], /There is no key\./],
])('login with %s is a wrong use', async (_what, argv, why) => {
  const { run } = await setup()
  expect(await run(argv, { env: ENV })).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(why) })
})

test('login alone tells a person where they are logged in, and not the key', async () => {
  const { url, run, login } = await setup()
  const look = () => run(['login'], { env: ENV, person: {} })
  expect((await look()).stdout).toBe(
    'You are not logged in to a service. Name the service: drydock login --url http://ADDRESS:8790\n',
  )
  await login()
  expect(await look()).toMatchObject({
    stdout: `You are logged in to ${url}. \`drydock logout\` logs you out.\n`,
    asked: [],
  })
})

test('logout forgets the key', async () => {
  const { url, file, run, login } = await setup()
  await login()
  expect((await run(['logout'], { env: ENV })).stdout).toBe(`Logged out of ${url}.\n`)
  expect(existsSync(file)).toBe(false)
  expect((await run(['logout'], { env: ENV })).stdout).toBe('You were not logged in.\n')
})
