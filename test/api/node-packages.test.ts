import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setup } from '../support/core.ts'

async function withFolder() {
  const data = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const service = await setup({ data })
  let time = 1000
  return {
    ...service,
    put(text: string): void {
      const file = join(data, 'node-packages.json')
      writeFileSync(file, text)
      time += 1
      utimesSync(file, time, time)
    },
    packagesOf: (...classes: readonly string[]) => service.post('/api/node-packages', { classes }),
  }
}

describe('the packages of classes of nodes', () => {
  it('are empty without an index', async () => {
    const { packagesOf } = await withFolder()
    expect(await packagesOf('Ink')).toEqual({ classes: [] })
  })

  it('come from the current index in the data folder', async () => {
    const { put, packagesOf } = await withFolder()
    put('{"https://github.com/ann/ink": [["Ink & brush"], {"title_aux": "Ink"}]}')
    const ink = { name: 'Ink', address: 'https://github.com/ann/ink' }
    expect(await packagesOf('Ink & brush', 'Paint', 'Ink & brush')).toEqual({
      classes: [{ name: 'Ink & brush', packages: [ink] }],
    })
    put('{"https://github.com/ann/ink": [["Paint"], {"title_aux": "Ink"}]}')
    expect(await packagesOf('Ink & brush', 'Paint')).toEqual({ classes: [{ name: 'Paint', packages: [ink] }] })
  })

  it('are empty if the index cannot be read, and the reason is reported', async () => {
    const { put, packagesOf } = await withFolder()
    put('{"a":')
    expect(await packagesOf('Ink')).toEqual({ classes: [], fault: 'it is not JSON' })
  })

  it('are of classes by name', async () => {
    const { ask } = await withFolder()
    expect((await ask('POST', '/api/node-packages', { body: { classes: [1] } })).body).toMatchObject({
      code: 'BAD_FIELD',
    })
  })
})
