import { readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CATALOG_ROUTES, type CatalogEntry } from '../../src-main/contract/catalog.ts'
import { endpointCreate } from '../../src-main/contract/endpoint.ts'
import { setup } from '../support/core.ts'

const FILES = readdirSync(join(import.meta.dirname, '../../resources/catalog')).filter((name) => name.endsWith('.json'))

async function entries(): Promise<readonly CatalogEntry[]> {
  const { get } = await setup()
  return CATALOG_ROUTES.catalogList.response.parse(await get('/api/catalog')).entries
}

describe('the catalog', () => {
  it('has every file of its folder, each with settings that make an endpoint', async () => {
    const all = await entries()
    expect(all.map(({ id }) => `${id}.json`)).toEqual(FILES.toSorted())
    for (const { id, name, settings } of all) {
      const parsed = endpointCreate.safeParse({ id, name, ...settings })
      expect([id, parsed.error]).toEqual([id, undefined])
    }
  })

  it('names the image or the handler file of each, and a body that can be sent', async () => {
    for (const { id, image, handler, settings, example } of await entries()) {
      const { container, handler: file } = endpointCreate.parse({ id, name: id, ...settings })
      expect([id, container?.image, file]).toEqual([id, image, handler])
      if (handler !== undefined) expect(isAbsolute(handler)).toBe(true)
      expect(example).toMatchObject({ input: expect.any(Object) })
    }
  })

  it('has the ready images with the memory that their cards need', async () => {
    const sizes = (await entries()).flatMap(({ id, image, gpuMemoryGb }) =>
      image === undefined ? [] : [[id, gpuMemoryGb]],
    )
    expect(Object.fromEntries(sizes)).toEqual({
      'comfyui-base': undefined,
      'comfyui-sdxl': 8,
      'comfyui-sd3': 5,
      'comfyui-flux1-schnell': 24,
      'comfyui-flux1-dev': 24,
      'comfyui-flux1-dev-fp8': 24,
      'comfyui-z-image-turbo': undefined,
    })
  })

  it('makes endpoints by what it says', async () => {
    const { get, ask } = await setup()
    const all = (await get('/api/catalog')).entries as readonly CatalogEntry[]
    for (const { id, name, settings } of all)
      expect([id, (await ask('POST', '/api/endpoints', { body: { id, name, ...settings } })).status]).toEqual([id, 200])
  })
})
