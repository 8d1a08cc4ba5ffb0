import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { whileTagIsOwn } from '../../../../src-main/features/worker-images/adapters/claim-tag.ts'
import { temporaryFolder } from '../../app/cli/support.ts'

test('a tag is built once at a time, and a killed build holds none', async () => {
  const folder = temporaryFolder()
  const cat = { folder, tag: 'cat:1' }
  const none = () => Promise.resolve('built')
  await whileTagIsOwn(cat, async () => {
    await expect(whileTagIsOwn(cat, none)).rejects.toThrow(`cat:1 is already being built by process ${process.pid}.`)
    expect(await whileTagIsOwn({ ...cat, tag: 'dog:1' }, none)).toBe('built')
    expect(await whileTagIsOwn({ ...cat, engine: 'tcp://other' }, none)).toBe('built')
    const [file = ''] = readdirSync(folder)
    writeFileSync(join(folder, file), String(spawnSync(process.execPath, ['--version']).pid))
    expect(await whileTagIsOwn(cat, none)).toBe('built')
  })
  expect(readdirSync(folder)).toEqual([])
})
