import { expect, it } from 'vitest'
import type { NamedCatalogFile } from '../../../../src-main/features/apps/ports/build.ts'
import { createCatalog } from '../../../../src-main/features/endpoints/catalog.ts'
import type { ContainerHost } from '../../../../src-main/runtimes/port.ts'
import { hostWithoutEngine } from '../../../support/fake-fleet.ts'

const common = { summary: 's', licence: 'l', env: [], example: { input: {} } }
const FILES: readonly NamedCatalogFile[] = [
  { ...common, id: 'small', name: 'Small', handler: '/h.py', settings: {} },
  { ...common, id: 'plain', name: 'Plain', image: 'i:1', settings: {} },
  {
    ...common,
    id: 'large',
    name: 'Large',
    image: 'i:2',
    gpuMemoryGb: 24,
    settings: { container: { gpu: 'AMPERE_24' } },
  },
]

/** Missing parts of each entry on a machine that refuses so. */
async function missingOn(refuses: (gpu: string | undefined) => string | undefined, containerHost?: ContainerHost) {
  const asked: (string | undefined)[] = []
  const refusal = async ({ container }: { readonly container?: { readonly gpu?: string | undefined } | undefined }) => {
    asked.push(container?.gpu)
    return refuses(container?.gpu)
  }
  const catalog = createCatalog({ fleet: { refusal, containerHost }, read: async () => FILES })
  const entries = await catalog.list()
  return { missing: entries.map(({ missing }) => missing.map(({ what }) => what)), entries, asked }
}

it('a machine with engine and card lacks nothing, and is asked once for each kind of need', async () => {
  const { missing, asked, entries } = await missingOn(() => undefined)
  expect(missing).toEqual([[], [], []])
  expect(asked).toEqual([undefined, 'AMPERE_24'])
  expect(entries.map(({ settings }) => settings)).toEqual([
    { handler: '/h.py' },
    { container: { image: 'i:1' } },
    { container: { gpu: 'AMPERE_24', image: 'i:2' } },
  ])
})

it('a machine without an engine runs handlers only, and says so once for each image', async () => {
  const { missing } = await missingOn(() => 'no engine answers')
  expect(missing).toEqual([[], ['no engine answers'], ['no engine answers']])
})

it('a machine without an engine and a card lacks both, with advice for each', async () => {
  const { missing, entries } = await missingOn(() => 'no engine answers', hostWithoutEngine('no engine answers'))
  expect(missing).toEqual([[], ['no engine answers'], ['no engine answers', 'there is no NVIDIA GPU']])
  expect(entries[2]?.missing.map(({ fix }) => fix)).toEqual([
    'If Docker is not installed, install it first; `drydock doctor` checks it.',
    expect.stringContaining('an NVIDIA GPU with 24 GB'),
  ])
})

it('a machine without the card runs the image that needs none, and learns what card the other wants', async () => {
  const { missing, entries } = await missingOn((gpu) =>
    gpu === undefined ? undefined : 'this machine has no NVIDIA GPU',
  )
  expect(missing).toEqual([[], [], ['this machine has no NVIDIA GPU']])
  expect(entries[2]?.missing[0]?.fix).toContain('an NVIDIA GPU with 24 GB')
})
