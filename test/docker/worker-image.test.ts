import { randomUUID } from 'node:crypto'
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'
import { outputOf, setupImages, temporaryFolder } from './support-images.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const RESOURCES = join(import.meta.dirname, '../../resources')
const DOCKERFILE = 'docker/worker/Dockerfile'

/** A copy of what the image is made of, which a test may change. */
function copyOfResources(): string {
  const folder = temporaryFolder()
  for (const part of ['docker', 'python']) cpSync(join(RESOURCES, part), join(folder, part), { recursive: true })
  return folder
}

describe('the worker image', () => {
  test('is built when it is first needed, with its progress in words, and not again', async () => {
    const images = setupImages(engine)
    await images.ensure({})
    expect(images.nameFor({})).toMatch(/:0\.0\.0-test-[0-9a-f]{12}$/)
    expect(await images.has(images.nameFor({}))).toBe(true)
    expect(images.told[0]).toBe('building the worker image')
    expect(images.told).toContainEqual(expect.stringMatching(/^building the worker image: step 3 of \d+$/))
    images.told.length = 0
    await images.ensure({})
    expect(images.told).toEqual([])
  })

  test('runs svc_worker as a user that is not root', async () => {
    const images = setupImages(engine)
    await images.ensure({})
    const program = 'import os, getpass, svc_worker; print(os.getuid(), getpass.getuser(), svc_worker.__file__)'
    expect(await outputOf(images, images.nameFor({}), ['python3', '-c', program])).toBe(
      '65532 worker /opt/drydock/python/svc_worker/__init__.py',
    )
  })

  test('with a graphics card shows none but those that are asked for', async () => {
    const images = setupImages(engine)
    await images.ensure({ gpu: 'ANY' })
    const { Config } = await images.docker.getImage(images.nameFor({ gpu: 'ANY' })).inspect()
    expect(Config.Env).toEqual(
      expect.arrayContaining(['NVIDIA_VISIBLE_DEVICES=void', 'NVIDIA_DRIVER_CAPABILITIES=compute,utility']),
    )
    expect(images.nameFor({ gpu: 'ANY' })).not.toBe(images.nameFor({}))
  })

  test('is built once, however many workers wait for it', async () => {
    const images = setupImages(engine)
    await Promise.all([images.ensure({}), images.ensure({}), images.ensure({})])
    expect(images.told.filter((words) => words === 'building the worker image')).toHaveLength(3) // each hears of it
    expect(await images.docker.listImages({ filters: { reference: [images.nameFor({})] } })).toHaveLength(1)
  })

  test('is built anew when svc_worker has changed, and the old one goes unless a container has it', async () => {
    const resources = copyOfResources()
    const repository = `drydock-worker-test-${randomUUID()}`
    const keeperOf = async () => {
      const images = setupImages(engine, { resources, repository })
      await images.ensure({})
      return { ...images, name: images.nameFor({}) }
    }
    const change = () => appendFileSync(join(resources, 'python/svc_worker/_version.py'), `# ${randomUUID()}\n`)

    change() // else it is the same image under another name
    const first = await keeperOf()
    const container = await first.docker.createContainer({ Image: first.name })
    onTestFinished(() => container.remove().catch(() => undefined)) // the test has done it, unless it failed
    change()
    const second = await keeperOf()
    expect(second.name).not.toBe(first.name)
    expect(await Promise.all([first.name, second.name].map(first.has))).toEqual([true, true])

    await container.remove()
    change()
    const third = await keeperOf()
    expect(await Promise.all([first.name, second.name, third.name].map(first.has))).toEqual([false, false, true])
  })

  test('that cannot be built is reported with the last lines of its build', async () => {
    const resources = copyOfResources()
    const path = join(resources, DOCKERFILE)
    writeFileSync(path, readFileSync(path, 'utf8').replace('WORKDIR /app', 'RUN echo some words && false'))
    await expect(setupImages(engine, { resources }).ensure({})).rejects.toThrow(
      /^the worker image could not be built: The command .* returned a non-zero code: 1\. Its last lines: .*some words$/,
    )
  })

  test('whose base is missing is reported by the name of the base', async () => {
    const resources = copyOfResources()
    const path = join(resources, DOCKERFILE)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^ARG BASE=.*$/m, 'ARG BASE=127.0.0.1:1/none:1'))
    const images = setupImages(engine, { resources })
    await expect(images.ensure({})).rejects.toThrow(
      /^the image 127\.0\.0\.1:1\/none:1 is missing and could not be pulled/,
    )
    await expect(images.ensure({ pull: 'never' })).rejects.toThrow('the endpoint never pulls')
  })

  test('is left unbuilt by an abort', async () => {
    const resources = copyOfResources()
    const path = join(resources, DOCKERFILE)
    writeFileSync(path, readFileSync(path, 'utf8').replace('WORKDIR /app', 'RUN sleep 1000'))
    const images = setupImages(engine, { resources })
    const stop = new AbortController()
    const building = images.ensure({}, stop.signal)
    await until(() => expect(images.told).toContain('building the worker image: step 6 of 9'))
    stop.abort(new Error('the service stops'))
    await expect(building).rejects.toThrow('the service stops')
    expect(await images.has(images.nameFor({}))).toBe(false)
  })
})
