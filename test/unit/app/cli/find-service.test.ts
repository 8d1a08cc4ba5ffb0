import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  dataFolder,
  findService,
  type Login,
  readServiceFile,
  type ServiceOptions,
  writeLogin,
} from '../../../../src-main/app/cli/find-service.ts'
import { defaultDataFolder } from '../../../../src-main/app/headless/called-as.ts'
import { surroundingsOf, temporaryFolder, writeServiceFiles } from './support.ts'

// No process has this number: the largest one that Linux gives is 2^22.
const NO_PROCESS = 2 ** 22 + 1

function setup() {
  const folder = temporaryFolder()
  const find = (options: ServiceOptions, env: Record<string, string> = {}) =>
    findService(options, surroundingsOf(folder, { env }).surroundings)
  const login = (to: Login) => writeLogin(surroundingsOf(folder).surroundings, to)
  return { folder, find, login }
}

describe('the service is found', () => {
  test('by --url and --key', async () => {
    const { find } = setup()
    expect(await find({ url: 'http://127.0.0.1:9000', key: 'k' })).toEqual({
      url: 'http://127.0.0.1:9000',
      key: 'k',
      by: '--url',
    })
  })

  test('by SVC_BASE_URL and SVC_API_KEY', async () => {
    const { find } = setup()
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9000', SVC_API_KEY: 'k' }
    expect(await find({}, env)).toEqual({ url: 'http://127.0.0.1:9000', key: 'k', by: 'SVC_BASE_URL' })
  })

  test('by the files of --data, before the address of the environment', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    const env = { SVC_BASE_URL: 'http://elsewhere:1', SVC_API_KEY: 'other' }
    const keyFile = join(folder, 'account.key')
    expect(await find({ data: folder }, env)).toEqual({
      url: 'http://127.0.0.1:9001',
      key: 'account-key',
      keyFile,
      by: '--data',
    })
  })

  test('by the files of SVC_DATA', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    const keyFile = join(folder, 'account.key')
    expect(await find({}, { SVC_DATA: folder })).toEqual({
      url: 'http://127.0.0.1:9001',
      key: 'account-key',
      keyFile,
      by: 'SVC_DATA',
    })
  })

  test('by SVC_BASE_URL and SVC_API_KEY of a .env file, which what is set beats', async () => {
    const { folder, find } = setup()
    writeFileSync(join(folder, '.env'), 'SVC_BASE_URL=http://127.0.0.1:9002\nSVC_API_KEY=of-the-file')
    const by = 'SVC_BASE_URL of a .env file'
    expect(await find({})).toEqual({ url: 'http://127.0.0.1:9002', key: 'of-the-file', by })
    expect(await find({}, { SVC_API_KEY: 'set' })).toEqual({ url: 'http://127.0.0.1:9002', key: 'set', by })
    expect(await find({ url: 'http://127.0.0.1:9003' })).toEqual({
      url: 'http://127.0.0.1:9003',
      key: 'of-the-file',
      by: '--url',
    })
  })

  test('by SVC_DATA, and no .env file is asked for another service', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    writeFileSync(join(folder, '.env'), 'SVC_BASE_URL=http://127.0.0.1:9002\nSVC_API_KEY=of-the-file')
    expect(await find({}, { SVC_DATA: folder })).toMatchObject({ url: 'http://127.0.0.1:9001', key: 'account-key' })
  })

  test('by a login, before the default data folder', async () => {
    const { folder, find, login } = setup()
    const data = join(folder, '.local', 'share', 'drydock')
    mkdirSync(data, { recursive: true })
    writeServiceFiles(data, { url: 'http://127.0.0.1:9001' })
    await login({ url: 'http://127.0.0.1:9004', key: 'of-the-login' })
    const by = '`drydock login`'
    expect(await find({})).toEqual({ url: 'http://127.0.0.1:9004', key: 'of-the-login', by })
    expect(await find({ key: 'other' })).toEqual({ url: 'http://127.0.0.1:9004', key: 'other', by })
  })

  test('by everything else before a login', async () => {
    const { folder, find, login } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    await login({ url: 'http://127.0.0.1:9004', key: 'of-the-login' })
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9000', SVC_API_KEY: 'k' }
    expect(await find({}, env)).toMatchObject({ url: 'http://127.0.0.1:9000', key: 'k' })
    expect(await find({}, { SVC_DATA: folder })).toMatchObject({ url: 'http://127.0.0.1:9001', key: 'account-key' })
    expect(await find({ data: folder })).toMatchObject({ url: 'http://127.0.0.1:9001', key: 'account-key' })
  })

  test('with a key file that ends with a line break', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001', key: 'account-key\n' })
    expect((await find({ data: folder })).key).toBe('account-key')
  })

  test.each([
    ['http://127.0.0.1:9000/', 'http://127.0.0.1:9000'],
    ['http://127.0.0.1:9000/v2/', 'http://127.0.0.1:9000'],
    ['https://host/base/', 'https://host/base'],
  ])('under %s as %s', async (given, url) => {
    const { find } = setup()
    expect(await find({ url: given, key: 'k' })).toEqual({ url, key: 'k', by: '--url' })
  })
})

describe('the service is not found', () => {
  test('where no service has written its file', async () => {
    const { folder, find } = setup()
    await expect(find({ data: folder })).rejects.toMatchObject({ code: 'NOT_RUNNING', exitCode: 3 })
  })

  test('where its process has ended: another program may hold its port and must not get the key', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001', pid: NO_PROCESS })
    await expect(find({ data: folder })).rejects.toMatchObject({ code: 'NOT_RUNNING' })
  })

  test('where its file is damaged', async () => {
    const { folder } = setup()
    writeFileSync(join(folder, 'service.json'), '{"pid":')
    expect(await readServiceFile(folder)).toBeUndefined()
  })

  test.each(['localhost:8790', 'ftp://host', ''.padEnd(3, '/')])('under the address %s', async (url) => {
    const { find } = setup()
    await expect(find({ url, key: 'k' })).rejects.toMatchObject({ code: 'USAGE', exitCode: 2 })
  })
})

describe('the key of a data folder', () => {
  test('is sent to the address of its own service', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    expect((await find({ url: 'http://127.0.0.1:9001' }, { SVC_DATA: folder })).key).toBe('account-key')
  })

  test('is never sent to another address', async () => {
    const { folder, find } = setup()
    writeServiceFiles(folder, { url: 'http://127.0.0.1:9001' })
    await expect(find({ url: 'http://127.0.0.1:9002' }, { SVC_DATA: folder })).rejects.toMatchObject({
      code: 'KEY_MISSING',
    })
  })
})

describe('the key of a login', () => {
  test('is sent to the address of the login', async () => {
    const { find, login } = setup()
    await login({ url: 'http://127.0.0.1:9004', key: 'of-the-login' })
    expect(await find({ url: 'http://127.0.0.1:9004/' })).toMatchObject({ key: 'of-the-login' })
    expect(await find({}, { SVC_BASE_URL: 'http://127.0.0.1:9004/v2' })).toMatchObject({ key: 'of-the-login' })
  })

  test('is never sent to another address', async () => {
    const { find, login } = setup()
    await login({ url: 'http://127.0.0.1:9004', key: 'of-the-login' })
    for (const url of ['http://127.0.0.1:9005', 'http://localhost:9004', 'https://127.0.0.1:9004'])
      await expect(find({ url })).rejects.toMatchObject({ code: 'KEY_MISSING' })
  })

  test('is not asked for where its file is damaged', async () => {
    const { folder, find, login } = setup()
    await login({ url: 'http://127.0.0.1:9004', key: 'k' })
    writeFileSync(join(folder, '.config', 'svc', 'credentials.json'), '{"url":')
    await expect(find({})).rejects.toMatchObject({ code: 'NOT_RUNNING' })
  })
})

describe('the data folder', () => {
  const place = { env: {}, cwd: '/work', platform: 'linux', home: '/home/ada' } as const

  test.each([
    ['linux', {}, '/home/ada/.local/share/drydock'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/drydock'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/drydock'],
    ['darwin', {}, '/home/ada/Library/Application Support/Drydock'],
    ['win32', { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' }, 'C:\\Users\\ada\\AppData\\Roaming\\Drydock'],
  ] as const)('is by default, on %s with %j, %s', (platform, env, folder) => {
    expect(defaultDataFolder({ platform, env, home: '/home/ada' })).toBe(folder)
  })

  test('is --data against the folder of the caller, before SVC_DATA', () => {
    expect(dataFolder('mine', { ...place, env: { SVC_DATA: '/other' } })).toBe('/work/mine')
    expect(dataFolder(undefined, { ...place, env: { SVC_DATA: '/other' } })).toBe('/other')
  })
})
