/** `drydock comfy open`, with a program in place of the browser. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { LAUNCHER, startedService, until } from '../support/served-service.ts'
import { send } from '../support/web-client.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const PAGE = '<p>page'

/** Opens the page with the command, up to the link that the browser gets. */
async function setup() {
  const service = await startedService()
  await service.createEndpoint('sketch', { handler: SKETCH, workflows: {}, workersMin: 0 })
  const [page, programs] = [join(service.folder, 'page'), join(service.folder, 'programs')]
  for (const folder of [page, programs]) mkdirSync(folder)
  writeFileSync(join(page, 'index.html'), PAGE)
  const opened = join(service.folder, 'opened')
  const browser = `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`
  for (const name of ['xdg-open', 'open']) writeFileSync(join(programs, name), browser, { mode: 0o755 })
  const command = start(
    ['sketch', '--page', page, '--data', service.data],
    `${programs}${delimiter}${process.env.PATH}`,
  )
  await until(() => expect(existsSync(opened)).toBe(true))
  const { host, port, pathname, search } = new URL(readFileSync(opened, 'utf8'))
  const ask = (path: string, sending: { readonly cookie?: string; readonly body?: string } = {}) => {
    const { cookie, body } = sending
    const headers = { host, ...(cookie === undefined ? {} : { cookie }) }
    const method = body === undefined ? 'GET' : 'POST'
    return send({ url: `http://127.0.0.1:${port}`, key: 'none' }, path, { method, headers, ...(body && { body }) })
  }
  return { service, command, ask, link: pathname + search }
}

function start(args: readonly string[], path: string): ChildProcess {
  const command = spawn(process.execPath, [LAUNCHER, 'comfy', 'open', ...args], {
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
    stdio: 'ignore',
  })
  onTestFinished(() => void command.kill('SIGKILL'))
  return command
}

test('opens the page of an endpoint in the browser, which runs a prompt without a key, until Ctrl+C', async () => {
  const { service, command, ask, link } = await setup()
  expect((await ask('/')).status).toBe(401)
  const [cookie = ''] = (await ask(link)).headers['set-cookie'] ?? []
  expect((await ask('/', { cookie })).text).toBe(PAGE)
  expect((await ask(link)).status).toBe(401)

  const { input } = JSON.parse(
    readFileSync(new URL('../../resources/catalog/sketch.json', import.meta.url), 'utf8'),
  ).example
  const sent = await ask('/api/prompt', { cookie, body: JSON.stringify({ prompt: input.workflow }) })
  const { prompt_id: id } = sent.json()
  expect((await service.jobEnd('sketch', `${id}-l1`)).status).toBe('COMPLETED')
  await until(async () => expect((await ask(`/history/${id}`, { cookie })).json()).toHaveProperty(id))
  // It reaches nothing else of the service.
  expect((await ask('/api/endpoints', { cookie })).status).toBe(404)

  command.kill('SIGINT')
  expect(await once(command, 'exit')).toEqual([0, null])
  await expect(ask('/', { cookie })).rejects.toThrow('ECONNREFUSED')
})
