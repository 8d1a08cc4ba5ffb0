import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import { HELLO_VIEW, NOW, setupCli, surroundingsOf } from './support.ts'

// Of a service whose data folder is on another machine.
const INFO = {
  version: '1.2.3',
  pid: 1,
  url: 'http://127.0.0.1:8790',
  data: '/no/such/folder',
  startedAt: NOW,
  endpoints: 0,
  jobs: { inQueue: 0, inProgress: 0 },
  lateResults: 0,
}

const endpoint = (id: string) => ({ ...HELLO_VIEW, id, workflows: {}, hostUrl: `http://${id}.localhost:8790` })
const withEndpoints = (...endpoints: readonly object[]) => ({
  ...{ 'GET /api/info': INFO, 'GET /api/endpoints': { endpoints } },
})
const ANSWERS = withEndpoints(HELLO_VIEW)

describe('platform env', () => {
  it('prints lines that set the variables', async () => {
    const { run, service } = await setupCli(ANSWERS)
    const { exitCode, stdout, stderr } = await run(['platform', 'env'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toContain(`export RUNPOD_API_BASE_URL='${service.url}'`)
    expect(lines).toContain(`export RUNPOD_ENDPOINT_BASE_URL='${service.url.replace('127.0.0.1', 'localhost')}/v2'`)
    expect(lines).toContain("export RUNPOD_API_KEY='account-key'")
    expect(lines.every((line) => /^export (?:RUNPOD_\w+|PYTHONPATH)='[^']*'$/.test(line))).toBe(true)
  })

  test.each([
    ['fish', "set -gx RUNPOD_API_KEY 'account-key'"],
    ['powershell', "$env:RUNPOD_API_KEY = 'account-key'"],
  ])('prints them for %s', async (shell, line) => {
    const { run } = await setupCli(ANSWERS)
    expect((await run(['platform', 'env', '--shell', shell])).stdout.split('\n')).toContain(line)
  })

  it('prints JSON', async () => {
    const { run, service } = await setupCli(ANSWERS)
    const answer = await run(['platform', 'env', '--json'])
    expect(answer.json()).toMatchObject({ RUNPOD_API_BASE_URL: service.url, RUNPOD_API_KEY: 'account-key' })
  })

  it("points ComfyUI's clients to the only endpoint that takes workflows, or to the named one", async () => {
    const one = await setupCli(withEndpoints(HELLO_VIEW, endpoint('sketch')))
    const variables = (id: string) => ({
      COMFY_BASE_URL: `${one.service.url}/comfy/${id}`,
      COMFY_LOCAL_URL: `http://${id}.localhost:8790`,
    })
    expect((await one.run(['platform', 'env', '--json'])).json()).toMatchObject(variables('sketch'))
    const { run, service } = await setupCli(withEndpoints(endpoint('sketch'), endpoint('paint')))
    expect((await run(['platform', 'env'])).stdout).not.toContain('COMFY')
    const named = await run(['platform', 'env', '--endpoint', 'paint', '--json'])
    expect(named.json()).toMatchObject({ ...variables('paint'), COMFY_BASE_URL: `${service.url}/comfy/paint` })
    expect(await run(['platform', 'env', '--endpoint', 'chat'])).toMatchObject({ exitCode: 2, stdout: '' })
  })

  it('knows no other shell', async () => {
    const { run } = await setupCli(ANSWERS)
    expect(await run(['platform', 'env', '--shell', 'cmd'])).toMatchObject({ exitCode: 2, stdout: '' })
  })
})

describe('platform run', () => {
  /** Runs a program on the terminal of this test, which writes what it finds into a file. */
  async function setup() {
    const { folder, service } = await setupCli(ANSWERS)
    const run = async (...program: readonly string[]) => {
      const { surroundings, written, exits } = surroundingsOf(folder, {
        env: { ...process.env, SVC_BASE_URL: service.url, SVC_API_KEY: 'account-key' } as Record<string, string>,
      })
      const exitCode = await runCli(['platform', 'run', '--', ...program], surroundings)
      return { exitCode, exits, ...written }
    }
    const script = (code: string) => {
      const file = join(folder, 'program.mjs')
      writeFileSync(file, code)
      return file
    }
    return { folder, service, run, script }
  }

  it('gives the program the variables, its arguments and the folder', async () => {
    const { folder, service, run, script } = await setup()
    const program = script(`import { writeFileSync } from 'node:fs'
const { RUNPOD_API_KEY: key, RUNPOD_API_BASE_URL: url } = process.env
writeFileSync('seen.json', JSON.stringify({ key, url, args: process.argv.slice(2) }))`)
    const { exits, stdout } = await run(process.execPath, program, 'flash', '--app', 'shop', '--json')
    expect({ exits, stdout }).toEqual({ exits: [0], stdout: '' })
    expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toEqual({
      key: 'account-key',
      url: service.url,
      args: ['flash', '--app', 'shop', '--json'],
    })
  })

  test.each([
    ['its exit code', 'process.exit(7)', 7],
    ['128 and the signal that ended it', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 143],
  ])('ends with %s', async (_what, code, wanted) => {
    const { run, script } = await setup()
    expect((await run(process.execPath, script(code))).exits).toEqual([wanted])
  })

  it('says which program is not there', async () => {
    const { run } = await setup()
    const { exitCode, exits, stderr } = await run('no-such-program-here', 'x')
    expect({ exitCode, exits }).toEqual({ exitCode: 1, exits: [] })
    expect(stderr).toMatch(/no-such-program-here/)
    expect(stderr).not.toContain('account-key')
  })

  it('needs a program', async () => {
    const { run } = await setup()
    expect(await run()).toMatchObject({ exitCode: 2, exits: [] })
  })
})
