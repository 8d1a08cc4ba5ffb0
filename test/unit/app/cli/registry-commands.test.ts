import { describe, expect, test } from 'vitest'
import { NOW, setupCli } from './support.ts'

const VIEW = { name: 'work', server: 'ghcr.io', username: 'ada', updatedAt: NOW - 14_000 }
const ADD = ['registry', 'add', 'work', '--server', 'ghcr.io', '--username', 'ada']

const setup = () =>
  setupCli({
    'POST /api/registries': VIEW,
    'GET /api/registries': { registries: [VIEW] },
    'GET /api/endpoints': { endpoints: [] },
    'DELETE /api/registries/work': { ok: true },
  })

describe('registry add', () => {
  test.each([
    ['enchantress', 'enchantress'],
    ['enchantress\n', 'enchantress'],
    ['enchantress\r\n', 'enchantress'],
    [' with spaces \n', ' with spaces '],
  ])('sends the password of standard input %j, and prints none', async (stdin, password) => {
    const { run, service } = await setup()
    const { exitCode, stdout, stderr } = await run(ADD, { stdin })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'credentials work for ghcr.io stored\n',
      stderr: '',
    })
    expect(service.seen).toMatchObject([
      { line: 'POST /api/registries', body: { name: 'work', server: 'ghcr.io', username: 'ada', password } },
    ])
  })

  test('refuses to store an empty password', async () => {
    const { run, service } = await setup()
    expect(await run(ADD, { stdin: '\n' })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/standard input/),
    })
    expect(service.seen).toEqual([])
  })

  test('takes no password as an argument', async () => {
    const { run } = await setup()
    expect(await run([...ADD, '--password', 'x'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/unknown option/),
    })
  })

  test.each([[['--server', 'ghcr.io']], [['--username', 'ada']]])('needs more than %j', async (options) => {
    const { run } = await setup()
    expect(await run(['registry', 'add', 'work', ...options], { stdin: 'x' })).toMatchObject({ exitCode: 2 })
  })
})

test('registry list is a table for people, and the answer for scripts', async () => {
  const { run } = await setup()
  expect((await run(['registry', 'list'])).stdout).toBe('NAME  SERVER   USER  CHANGED\nwork  ghcr.io  ada   14 s ago\n')
  expect((await run(['registry', '--json'])).json()).toEqual({ registries: [VIEW] })
})

test('registry remove names what it removed', async () => {
  const { run, service } = await setup()
  expect((await run(['registry', 'remove', 'work', '--yes'])).stdout).toBe('credentials work removed\n')
  expect(service.seen.at(-1)?.line).toBe('DELETE /api/registries/work')
})
