import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openArtifactFiles } from '../../../../src-main/features/apps/store/artifact-files.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const NONE = { artifacts: new Set<string>(), unpacked: new Set<string>() }

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const BYTES = gzipSync('some code '.repeat(50))
const NAME = sha256(BYTES)
const TOTAL = BYTES.length

function setup({ limitBytes = TOTAL } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const open = () => openArtifactFiles(folder, limitBytes)
  const files = open()
  const send = (from: number, to: number, total = TOTAL, to_ = files) =>
    to_.append(NAME, { offset: from, total }, BYTES.subarray(from, to))
  const names = (of: string) => readdirSync(join(folder, of)).sort()
  const age = (path: string, ms: number) => {
    const then = new Date(Date.now() - ms)
    utimesSync(join(folder, path), then, then)
  }
  return { folder, open, files, send, names, age }
}

describe('an artifact', () => {
  it('is missing, then partial, then complete, and is found only then', async () => {
    const { files, send } = setup()
    expect(await files.status(NAME)).toEqual({ state: 'missing', received: 0 })
    expect(await send(0, 10)).toEqual({ state: 'partial', received: 10, total: TOTAL })
    expect(await files.status(NAME)).toEqual({ state: 'partial', received: 10, total: TOTAL })
    expect(await files.find(NAME)).toBeUndefined()
    expect(await send(10, TOTAL)).toEqual({ state: 'complete', received: TOTAL, total: TOTAL })
    expect(await files.status(NAME)).toEqual({ state: 'complete', received: TOTAL, total: TOTAL })
    expect(readFileSync((await files.find(NAME)) ?? '').equals(BYTES)).toBe(true)
  })

  it('can be read by its user only', async () => {
    const { files, folder, send } = setup()
    await send(0, TOTAL)
    expect(statSync((await files.find(NAME)) ?? '').mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'artifacts')).mode & 0o777).toBe(0o700)
  })

  it('that is complete stays so, whatever is sent', async () => {
    const { send } = setup()
    await send(0, TOTAL)
    expect(await send(3, 9)).toEqual({ state: 'complete', received: TOTAL, total: TOTAL })
  })

  it('continues where it was after a restart', async () => {
    const { open, files, send } = setup()
    await send(0, 10)
    await files.close()
    const later = open()
    expect(await later.status(NAME)).toEqual({ state: 'partial', received: 10, total: TOTAL })
    expect(await send(10, TOTAL, TOTAL, later)).toMatchObject({ state: 'complete' })
  })

  it('of which all had come when the service ended is whole at the next look', async () => {
    const { folder, files, names } = setup()
    mkdirSync(join(folder, 'artifacts'))
    writeFileSync(join(folder, 'artifacts', `${NAME}.${TOTAL}.part`), BYTES)
    expect(await files.status(NAME)).toEqual({ state: 'complete', received: TOTAL, total: TOTAL })
    writeFileSync(join(folder, 'artifacts', `${'0'.repeat(64)}.${TOTAL}.part`), BYTES)
    expect(await files.status('0'.repeat(64))).toEqual({ state: 'missing', received: 0 })
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
  })

  it('takes a part only where the one before ended', async () => {
    const { send } = setup()
    await expect(send(5, 10)).rejects.toMatchObject({ code: 'UPLOAD_OFFSET', data: { received: 0 } })
    await send(0, 10)
    await expect(send(0, 10)).rejects.toMatchObject({ code: 'UPLOAD_OFFSET', data: { received: 10 } })
    await expect(send(11, 20)).rejects.toMatchObject({ code: 'UPLOAD_OFFSET', data: { received: 10 } })
    expect(await send(10, TOTAL)).toMatchObject({ state: 'complete' })
  })

  it('takes one of two parts that come at the same time', async () => {
    const { files, send } = setup()
    const both = await Promise.allSettled([send(0, 10), send(0, 20)])
    expect(both).toMatchObject([
      { status: 'fulfilled', value: { received: 10 } },
      { status: 'rejected', reason: { code: 'UPLOAD_OFFSET', data: { received: 10 } } },
    ])
    const rest = await Promise.all([send(10, 20), send(20, TOTAL), files.status(NAME)])
    expect(rest.map(({ state }) => state)).toEqual(['partial', 'complete', 'complete'])
  })

  it('begins anew when its size is another one', async () => {
    const { send, names } = setup({ limitBytes: TOTAL + 5 })
    await send(0, 10, TOTAL + 5)
    await expect(send(10, 20)).rejects.toMatchObject({ code: 'UPLOAD_OFFSET', data: { received: 0 } })
    expect(await send(0, 20)).toEqual({ state: 'partial', received: 20, total: TOTAL })
    expect(names('artifacts')).toEqual([`${NAME}.${TOTAL}.part`])
  })

  it('that is not what its name says is thrown away', async () => {
    const { files, names } = setup()
    const sent = files.append(NAME, { offset: 0, total: 3 }, Buffer.from([0x1f, 0x8b, 8]))
    const is = sha256(Buffer.from([0x1f, 0x8b, 8]))
    await expect(sent).rejects.toMatchObject({ code: 'UPLOAD_DAMAGED', data: { why: `its SHA-256 is ${is}` } })
    expect(names('artifacts')).toEqual([])
    expect(await files.status(NAME)).toEqual({ state: 'missing', received: 0 })
  })

  it.each([
    ['text', Buffer.from('some text')],
    ['nothing', Buffer.alloc(0)],
    ['the begin of a gzip file', Buffer.from([0x1f, 0x8b])],
  ])('that is %s, and not a gzip file, is thrown away', async (_what, bytes) => {
    const { files, names } = setup()
    const sent = files.append(sha256(bytes), { offset: 0, total: bytes.length }, bytes)
    await expect(sent).rejects.toMatchObject({ code: 'UPLOAD_DAMAGED', data: { why: 'it is not a gzip file' } })
    expect(names('artifacts')).toEqual([])
  })

  it.each([
    [TOTAL - 1, false],
    [TOTAL, true],
    [TOTAL + 1, true],
  ])('of the limit %i minus or plus one is taken: %s', async (limitBytes, isTaken) => {
    const { send } = setup({ limitBytes })
    const sent = send(0, TOTAL)
    if (isTaken) expect(await sent).toMatchObject({ state: 'complete' })
    else {
      const data = { bytes: TOTAL, limit: limitBytes }
      await expect(sent).rejects.toMatchObject({ code: 'UPLOAD_TOO_LARGE', data })
    }
  })

  it('takes no byte behind its end', async () => {
    const { files, send } = setup({ limitBytes: TOTAL + 9 })
    await send(0, 10)
    const more = Buffer.concat([BYTES.subarray(10), Buffer.from('x')])
    const sent = files.append(NAME, { offset: 10, total: TOTAL }, more)
    await expect(sent).rejects.toMatchObject({ code: 'UPLOAD_TOO_LARGE' })
    expect(await files.status(NAME)).toEqual({ state: 'partial', received: 10, total: TOTAL })
  })

  it('that cannot be stored says so', async () => {
    const { folder, send } = setup()
    writeFileSync(join(folder, 'artifacts'), 'in the way')
    await expect(send(0, 10)).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  })
})

describe('an artifact that is made here', () => {
  it('is whole and private once it was taken, and the file it was is gone', async () => {
    const { files, names } = setup()
    const made = await files.newFile()
    expect(await files.newFile()).not.toBe(made)
    writeFileSync(made, BYTES)
    await files.take(NAME, made)
    expect(await files.status(NAME)).toEqual({ state: 'complete', received: TOTAL, total: TOTAL })
    expect(statSync((await files.find(NAME)) ?? '').mode & 0o777).toBe(0o600)
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
  })

  it('may be here already', async () => {
    const { files, names, send } = setup()
    await send(0, TOTAL)
    const made = await files.newFile()
    writeFileSync(made, BYTES)
    await files.take(NAME, made)
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
  })

  it('that was not there any more is refused', async () => {
    const { files } = setup()
    await expect(files.take(NAME, await files.newFile())).rejects.toMatchObject({ code: 'DATABASE_BUSY' })
  })

  it('and was left half made is swept after a day', async () => {
    const { files, names, age } = setup()
    const made = basename(await files.newFile())
    for (const name of [made, `.${made}.0a1b2c.new`]) {
      writeFileSync(join(dirname(await files.newFile()), name), 'half')
      age(`artifacts/${name}`, DAY - HOUR)
    }
    await files.sweep(NONE, Date.now())
    expect(names('artifacts')).toHaveLength(2)
    await files.sweep(NONE, Date.now() + 2 * HOUR)
    expect(names('artifacts')).toEqual([])
  })
})

describe('the sweep', () => {
  it('deletes artifacts that nobody has and nobody asked for in the last hour', async () => {
    const { files, send, names, age } = setup()
    await send(0, TOTAL)
    const file = `artifacts/${NAME}.tar.gz`
    age(file, HOUR - 60_000)
    await files.sweep(NONE, Date.now())
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
    age(file, HOUR + 60_000)
    await files.sweep({ ...NONE, artifacts: new Set([NAME]) }, Date.now())
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
    await files.find(NAME)
    await files.sweep(NONE, Date.now())
    expect(names('artifacts')).toEqual([`${NAME}.tar.gz`])
    age(file, HOUR + 60_000)
    await files.sweep(NONE, Date.now())
    expect(names('artifacts')).toEqual([])
  })

  it('deletes parts of uploads that nobody went on with for a day', async () => {
    const { files, send, names, age } = setup()
    await send(0, 10)
    const part = `artifacts/${NAME}.${TOTAL}.part`
    age(part, DAY - 60_000)
    await files.sweep(NONE, Date.now())
    expect(names('artifacts')).toEqual([`${NAME}.${TOTAL}.part`])
    age(part, DAY + 60_000)
    await files.sweep({ ...NONE, artifacts: new Set([NAME]) }, Date.now())
    expect(names('artifacts')).toEqual([])
  })

  it('deletes unpacked folders that are not in use and older than an hour, and leftovers of both', async () => {
    const { files, names, age } = setup()
    const unpacked = dirname(await files.unpackedFolder(NAME))
    for (const name of ['used', 'old', 'new', '.old.Ab12Cd', '.deleted-gone']) {
      mkdirSync(join(unpacked, name))
      writeFileSync(join(unpacked, name, 'main.py'), '')
      if (name !== 'new') age(`unpacked/${name}`, HOUR + 60_000)
    }
    mkdirSync(join(unpacked, NAME))
    age(`unpacked/${NAME}`, HOUR + 60_000)
    await files.unpackedFolder(NAME) // somebody is about to use it
    await files.sweep({ ...NONE, unpacked: new Set(['used']) }, Date.now())
    expect(names('unpacked')).toEqual([NAME, 'new', 'used'].sort())
    expect(readdirSync(join(unpacked, 'used'))).toEqual(['main.py'])
  })

  it('leaves volumes and foreign files alone', async () => {
    const { folder, files, names, age } = setup()
    await files.volume('models')
    await files.status(NAME)
    writeFileSync(join(folder, 'artifacts', 'notes.txt'), '')
    age('artifacts/notes.txt', 9 * DAY)
    age('volumes/models', 9 * DAY)
    await files.sweep(NONE, Date.now())
    expect([names('volumes'), names('artifacts')]).toEqual([['models'], ['notes.txt']])
  })
})

describe('the folder of a volume', () => {
  it('is named as the volume where that can be, and there each time', async () => {
    const { files, folder } = setup()
    expect(await files.volume('models')).toBe(join(folder, 'volumes', 'models'))
    expect(await files.volume('models')).toBe(join(folder, 'volumes', 'models'))
  })

  it('is one folder of its own for any name', async () => {
    const { files, folder, names } = setup()
    const all = ['..', '.', '', '../up', 'a/b', 'Models', 'models', 'a b', 'a\0b', 'é'.repeat(200), 'models.']
    const folders = await Promise.all(all.map((name) => files.volume(name)))
    expect(new Set(folders.map(dirname))).toEqual(new Set([join(folder, 'volumes')]))
    expect(new Set(folders.map((path) => path.toLowerCase())).size).toBe(all.length)
    expect(names('volumes').length).toBe(all.length)
  })
})

describe('storage', () => {
  it('keeps artifacts next to the database', async () => {
    const { folder } = setup()
    const { artifacts, close } = openStorage(join(folder, 'drydock.db'))
    expect(existsSync(join(folder, 'unpacked'))).toBe(false)
    expect(await artifacts.unpackedFolder(NAME)).toBe(join(folder, 'unpacked', NAME))
    await close()
  })

  it('in memory has a folder for them until it is closed', async () => {
    const { artifacts, close } = openStorage(':memory:')
    const unpacked = dirname(await artifacts.unpackedFolder(NAME))
    expect([isAbsolute(unpacked), existsSync(unpacked)]).toEqual([true, true])
    await close()
    expect(existsSync(dirname(unpacked))).toBe(false)
  })
})
