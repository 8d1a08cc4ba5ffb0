import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { type RegistryAccess, startRegistry } from '../support/fake-registry.ts'
import { until } from '../support/served-service.ts'
import { setupImages } from './support-images.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const ADA = { username: 'ada', password: 'enchantress' }
const MINUTE = 60_000

/** A registry, and a keeper that knows the credentials `right` and `wrong` for it. */
async function setup(access?: RegistryAccess, layerBytes?: number) {
  const registry = await startRegistry({
    ...(access === undefined ? {} : { access }),
    ...(layerBytes === undefined ? {} : { layerBytes }),
  })
  const stored = {
    right: { server: registry.host, ...ADA },
    wrong: { server: registry.host, ...ADA, password: 'a guess' },
    elsewhere: { server: 'ghcr.io', ...ADA },
    anywhere: { server: '*', ...ADA },
  }
  const images = setupImages(engine, { stored })
  images.removeLater(registry.image)
  const pulls = () => registry.seen.filter((line) => line.startsWith('GET') && line.includes('/blobs/')).length
  return { registry, pulls, ...images }
}

describe('an image that is missing', () => {
  test('is pulled, with its progress in words', async () => {
    const { registry, ensure, has, told } = await setup(undefined, 20_000_000)
    await ensure({ image: registry.image })
    expect(await has(registry.image)).toBe(true)
    expect(told[0]).toBe(`pulling ${registry.image}`)
    expect(told).toContainEqual(expect.stringMatching(/: \d+ %, \d+ of 20 MB$/))
    expect(told.at(-1)).toBe(`unpacking ${registry.image}: 1 of 1 layers`)
  })

  test('is pulled once, however many workers wait for it', async () => {
    const { registry, ensure, pulls } = await setup()
    registry.hold()
    const all = Array.from({ length: 5 }, () => ensure({ image: registry.image }))
    await registry.held()
    all.push(ensure({ image: registry.image })) // one that comes in the middle
    registry.release()
    await Promise.all(all)
    expect(pulls()).toBe(2) // its config and its layer
  })

  test('is reported with the reason when the registry does not have it', async () => {
    const { registry, ensure } = await setup()
    const image = registry.image.replace(':latest', ':none')
    await expect(ensure({ image })).rejects.toThrow(
      new RegExp(
        `^the image ${image} is missing and could not be pulled: .*manifest unknown.*\\. Check the name, or for a private image pass credentials with --registry-auth$`,
      ),
    )
  })

  test('is reported when there is no such registry', async () => {
    await expect(setupImages(engine).ensure({ image: '127.0.0.1:1/none' })).rejects.toThrow(/connection refused/)
  })

  test('is not pulled where the endpoint never pulls', async () => {
    const { registry, ensure } = await setup()
    await expect(ensure({ image: registry.image, pull: 'never' })).rejects.toThrow(
      `the image ${registry.image} is missing and the endpoint never pulls. Pull it: docker pull ${registry.image}`,
    )
    expect(registry.seen).toEqual([])
  })
})

describe('an abort', () => {
  test('ends the download', async () => {
    const { registry, ensure, has } = await setup(undefined, 20_000_000) // more than sockets take in by themselves
    const stop = new AbortController()
    registry.hold()
    const pulling = ensure({ image: registry.image }, stop.signal)
    await registry.held()
    stop.abort(new Error('the service stops'))
    await expect(pulling).rejects.toThrow('the service stops')
    registry.trickle() // the engine hears of an abort with the next bytes that come, and that may take it a while
    await registry.left()
    expect(await has(registry.image)).toBe(false)
  })

  test('of one who waits leaves the others their image', async () => {
    const { registry, ensure, has } = await setup()
    const stop = new AbortController()
    registry.hold()
    const [leaves, stays] = [ensure({ image: registry.image }, stop.signal), ensure({ image: registry.image })]
    await registry.held()
    stop.abort(new Error('it was told to leave'))
    await expect(leaves).rejects.toThrow('it was told to leave')
    registry.release()
    await stays
    expect(await has(registry.image)).toBe(true)
  })
})

describe('an image that is here', () => {
  test('is not asked for again', async () => {
    const { registry, ensure } = await setup()
    await ensure({ image: registry.image })
    const before = registry.seen.length
    await ensure({ image: registry.image })
    await ensure({ image: registry.image, pull: 'never' })
    expect(registry.seen.length).toBe(before)
  })

  test('is pulled again where it always is, but at most every five minutes', async () => {
    const { registry, ensure, docker, time } = await setup()
    const idOf = async () => (await docker.getImage(registry.image).inspect()).Id
    await ensure({ image: registry.image, pull: 'always' })
    const first = await idOf()
    registry.change()
    time.now = 5 * MINUTE - 1
    await ensure({ image: registry.image, pull: 'always' })
    expect(await idOf()).toBe(first)
    time.now = 5 * MINUTE
    await ensure({ image: registry.image, pull: 'always' })
    expect(await idOf()).not.toBe(first)
    await docker.getImage(first).remove({ force: true })
  })
})

describe.each(['basic', 'token'] as const)('a private registry with %s authentication', (kind) => {
  test.each(['right', 'anywhere'])('gives its image for the stored credentials %s', async (registryAuth) => {
    const { registry, ensure, has } = await setup({ kind, ...ADA })
    await ensure({ image: registry.image, registryAuth })
    expect(await has(registry.image)).toBe(true)
  })

  test('gives nothing without credentials, or for a wrong password, and never names the password', async () => {
    const { registry, ensure } = await setup({ kind, ...ADA })
    await expect(ensure({ image: registry.image })).rejects.toThrow(/pass credentials with --registry-auth$/)
    const wrong = await ensure({ image: registry.image, registryAuth: 'wrong' }).catch((error: Error) => error.message)
    expect(wrong).toMatch(/could not be pulled: .*\. Check the name, and the registry credentials wrong$/)
    expect(wrong).not.toContain('a guess')
  })

  test('gives its image for what docker login has stored', async () => {
    const { registry, ensure, has, home } = await setup({ kind, ...ADA })
    mkdirSync(join(home, '.docker'))
    const auth = Buffer.from(`${ADA.username}:${ADA.password}`).toString('base64')
    writeFileSync(join(home, '.docker/config.json'), JSON.stringify({ auths: { [registry.host]: { auth } } }))
    await ensure({ image: registry.image })
    expect(await has(registry.image)).toBe(true)
  })
})

describe('stored credentials', () => {
  test('that are not there are reported with the command that stores them', async () => {
    const { registry, ensure } = await setup()
    await expect(ensure({ image: registry.image, registryAuth: 'none' })).rejects.toThrow(
      'there are no registry credentials none. Store them: drydock registry add none --server HOST --username USER',
    )
  })

  test('go to no other registry than their own', async () => {
    const { registry, ensure } = await setup()
    await expect(ensure({ image: registry.image, registryAuth: 'elsewhere' })).rejects.toThrow(
      `the registry credentials elsewhere are for ghcr.io, and the image ${registry.image} is from ${registry.host}`,
    )
    expect(registry.seen).toEqual([])
  })
})

test('progress of a pull reaches the waiting caller', async () => {
  const { registry, ensure, told } = await setup(undefined, 4_000_000)
  registry.hold()
  const pulling = ensure({ image: registry.image })
  await until(() => expect(told.at(-1)).toMatch(/: \d+ %, \d\.\d of 4\.0 MB$/))
  registry.release()
  await pulling
})
