import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { portOwner } from '../../../../src-main/app/cli/port-owner.ts'
import { namingPortOwner } from '../../../../src-main/app/cli/start-service.ts'
import { AppError, errorBody } from '../../../../src-main/contract/errors.ts'
import { listen } from '../../../../src-main/http/server/listen.ts'
import { temporaryFolder, writeServiceFiles } from './support.ts'

async function setup(folderIn: (data: string) => string) {
  const taken = await listen(() => new Response(), 0)
  const { port } = taken
  const data = temporaryFolder()
  const folder = folderIn(data)
  mkdirSync(folder, { recursive: true })
  writeServiceFiles(folder, { url: `http://127.0.0.1:${port}` })
  const why = (asked = port) =>
    namingPortOwner({ data, port: asked }, () => listen(() => new Response(), asked)).then(
      (listener) => listener.close(0),
      (error: Error) => error.message,
    )
  return { data, port, why, taken }
}

const CHOOSE = 'Choose another one with --port, or 0 for any free one.'

test('the error about a taken port names the service of the data folder that uses it', async () => {
  const { data, port, why, taken } = await setup((data) => data)
  expect(await why()).toBe(`Port ${port} is taken by the Drydock service of ${data}. ${CHOOSE}`)
  await taken.close(0)
})

test('the error about a taken port names the app of the preview that uses it', async () => {
  const { port, why, taken } = await setup((data) => join(data, 'previews', 'my-shop-a1B2c3'))
  expect(await why()).toBe(`Port ${port} is taken by a preview of my-shop. ${CHOOSE}`)
  await taken.close(0)
})

test('a service with another data folder is named as another service', async () => {
  const refusal = errorBody(new AppError('UNAUTHORIZED'))
  const other = await listen(() => Response.json(refusal, { status: refusal.status }), 0)
  expect(await portOwner(temporaryFolder(), other.port, new AbortController().signal)).toBe('another Drydock service')
  await other.close(0)
})

test('the error about a taken port names another program if its owner is unknown', async () => {
  const { why, taken } = await setup((data) => data)
  const other = await listen(() => new Response(), 0)
  expect(await why(other.port)).toBe(`Port ${other.port} is taken by another program. ${CHOOSE}`)
  await Promise.all([taken.close(0), other.close(0)])
})
