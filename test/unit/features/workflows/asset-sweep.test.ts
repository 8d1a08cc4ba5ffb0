import { createHash } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { limit } from '../../../../src-main/contract/limits.ts'
import { makeRoom, storeAsset, sweepLostFiles } from '../../../../src-main/features/workflows/assets.ts'
import { fileTools } from '../../../../src-main/shipped-files/resources.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

const BYTES = new TextEncoder().encode('a file')
const ID = createHash('sha256').update(BYTES).digest('hex')

function setup() {
  const storage = openStorage(':memory:')
  onTestFinished(() => storage.close())
  let now = 0
  const deps = {
    storage,
    clock: { now: () => now, wall: () => now },
    tools: fileTools,
    maxBytes: () => BYTES.length,
  }
  const late = () => {
    now += 2 * limit('assetUnusedMs')
  }
  /** A file without its record, or the other way round, is what must not be. */
  const state = async () => [storage.assets.get(ID) !== undefined, (await storage.assetFiles.read(ID)) !== undefined]
  return { deps: deps as unknown as Parameters<typeof storeAsset>[0], storage, late, state }
}

// The turns of the one before the other, as many as either takes.
const afterTurns = async <Result>(turns: number, work: () => Promise<Result>): Promise<Result> => {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
  return work()
}
const TURNS = Array.from({ length: 12 }, (_, turns) => turns)

it.each(TURNS)('a file without a record that is sent again while it is swept stays (%i turns later)', async (turns) => {
  const { deps, storage, late, state } = setup()
  await storage.assetFiles.store(ID, BYTES)
  late()
  await Promise.all([sweepLostFiles(deps), afterTurns(turns, () => storeAsset(deps, BYTES))])
  expect(await state()).toEqual([true, true])
})

it.each([
  ['{"1": {"class_type": "LoadImage", "inputs": {"image": "mine.png"}}}', true],
  ['{"1": {"class_type": "LoadImage", "inputs": {"image": "mine.png [output]"}}}', true],
  ['{"1": {"class_type": "LoadImage", "inputs": {"image": "mine.png", "x": NaN}}}', true],
  ['{"1": {"class_type": "LoadImage", "inputs": {"image": "not mine.png"}}}', false],
])('a file that the published graph %s loads is needed: %s', async (payload, isNeeded) => {
  const { deps, storage, late } = setup()
  await storeAsset(deps, BYTES)
  const graph = { version: 1, createdAt: 0, parameters: [], results: [], document: undefined, workflowId: undefined }
  await storage.write(() => {
    storage.assets.giveName('mine.png', ID, { now: 0, endpointId: '' })
    const config = endpointConfig.parse({ name: 'g', workersMax: 0, graph: { behind: 'e', version: 1 } })
    const times = { revision: 1, createdAt: 0, updatedAt: 0 }
    storage.endpoints.save({ id: 'g', config, paused: false, keyHash: new Uint8Array(32), ...times }, 'created', 0)
    storage.graphs.insert('g', { ...graph, payload })
  })
  late()
  expect(await makeRoom(deps, BYTES.length)).toBe(!isNeeded)
})

it.each(TURNS)('one that makes room has its record and its file, or neither (%i turns later)', async (turns) => {
  const { deps, late, state } = setup()
  await storeAsset(deps, BYTES)
  late()
  await Promise.all([makeRoom(deps, BYTES.length), afterTurns(turns, () => storeAsset(deps, BYTES))])
  const [record, file] = await state()
  expect(record).toBe(file)
})

it.each(TURNS)(
  'of two files that come at once and have room for one, one is refused (%i turns later)',
  async (turns) => {
    const { deps, storage } = setup()
    const other = new TextEncoder().encode('b file')
    const kept = await Promise.allSettled([storeAsset(deps, BYTES), afterTurns(turns, () => storeAsset(deps, other))])
    expect(kept.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(storage.assets.totalBytes()).toBe(BYTES.length)
  },
)

it('a file whose record has just gone stays until that is on the disk', async () => {
  const { deps, storage, late, state } = setup()
  await storeAsset(deps, BYTES)
  late()
  await storage.write(() => storage.assets.remove([ID]))
  const synced = Promise.withResolvers<void>()
  const sweeping = sweepLostFiles({ ...deps, storage: { ...storage, durable: () => synced.promise } })
  await afterTurns(50, async () => undefined)
  expect(await state()).toEqual([false, true])
  synced.resolve()
  await sweeping
  expect(await state()).toEqual([false, false])
})
