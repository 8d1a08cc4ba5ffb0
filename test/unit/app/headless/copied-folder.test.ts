import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { leaveOriginal } from '../../../../src-main/app/headless/copied-folder.ts'
import { openDataFolder } from '../../../../src-main/app/headless/data-folder.ts'
import { openContainerState } from '../../../../src-main/app/headless/fleets.ts'
import { recoverFolder } from '../../../../src-main/app/headless/recover-folder.ts'
import { openFolderStorage } from '../../../../src-main/storage/open-folder.ts'

const BOXA = { name: 'boxa', way: { kind: 'ssh', to: 'boxa' }, swarm: false, addedAt: 1 } as const

/** Opens a data folder as a service does, stops again, and tells what it calls itself to engines. */
async function open(path: string) {
  const folder = openDataFolder(path)
  const opened = openFolderStorage(folder)
  if (opened.kind !== 'open') throw new Error(opened.kind)
  const { storage, close } = opened
  const original = await leaveOriginal(folder, storage)
  const containers = openContainerState(storage)
  await containers.setUsed()
  await storage.write(() => storage.machines.add({ ...BOXA, id: 'first' }))
  const names = { service: containers.serviceId(), machine: storage.machines.all()[0]?.id }
  const ports = storage.state.get('server.workerPorts')
  await storage.write(() => storage.state.set('server.workerPorts', { '127.0.0.1': 9001 }))
  await close()
  return { original, names, ports }
}

async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-copied-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [data, other] = [join(folder, 'data'), join(folder, 'other')]
  const { names } = await open(data)
  openDataFolder(join(data, 'workers'))
  writeFileSync(join(data, 'workers/w.pid'), '1')
  return { data, other, names }
}

test('a copy has other names for engines, other ports and no workers, and keeps its new names', async () => {
  const { data, other, names } = await setup()
  cpSync(data, other, { recursive: true })
  const copy = await open(other)
  expect(copy).toMatchObject({ original: data, ports: {} })
  expect(copy.names.service).not.toBe(names.service)
  expect(copy.names.machine).toMatch(/^[a-z0-9]{14}$/)
  expect(existsSync(join(other, 'workers/w.pid'))).toBe(false)
  expect(await open(other)).toMatchObject({ original: undefined, names: copy.names })
  expect(await open(data)).toMatchObject({ original: undefined, names })
})

test('a folder that was moved, or recovered from a damaged one, keeps its names', async () => {
  const { data, other, names } = await setup()
  await recoverFolder(data, other)
  expect(await open(other)).toMatchObject({ original: undefined, names })
  const moved = `${other}-moved`
  renameSync(data, moved)
  await open(data)
  expect(await open(moved)).toMatchObject({ original: undefined, names })
  expect(existsSync(join(moved, 'workers/w.pid'))).toBe(true)
})

test('a folder that another path leads to as well, as by a mount, keeps its names', async () => {
  const { data, other, names } = await setup()
  mkdirSync(other)
  linkSync(join(data, 'drydock.db'), join(other, 'drydock.db'))
  expect(await open(other)).toMatchObject({ original: undefined, names })
})
