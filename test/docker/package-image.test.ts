/** Worker images with another Python, with Python packages and with packages of Debian. */
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ContainerSettings } from '../../src-main/contract/container.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import type { WhenOver } from '../support/served-service.ts'
import { sharedInFile } from '../support/shared-in-file.ts'
import { makeWheels } from '../support/wheels.ts'
import { outputOf, setupImages, temporaryFolder } from './support-images.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const RESOURCES = join(import.meta.dirname, '../../resources')
const PYTHON = 'python:3.11-slim-bookworm'
const GREETING = 'greeting @ file:///wheels/greeting-1.0-py3-none-any.whl'
const OTHER = 'other @ file:///wheels/other-1.0-py3-none-any.whl'
const FILES = {
  'apt-get': '#!/bin/sh\necho "Setting up everything (1.0) ..."\nprintf "%s\\0" "$@" >>/apt-get.log\n',
  // Anything but pip is left to the real one, which the worker image is compiled with.
  'recording-python3': '#!/bin/sh\n[ "$2" = pip ] || exec python3.11 "$@"\nprintf "%s\\0" "$@" >>/pip.log\n',
}

// Lines of shell, of a Dockerfile, of a requirements file, options; and one of another kind.
const HOSTILE = [
  '$(touch /owned)',
  '`touch /owned`',
  'six; touch /owned',
  "six' && touch /owned '",
  'six"\\',
  'six\nRUN touch /owned',
  'six\r\nENTRYPOINT ["/bin/sh"]',
  '--target=/owned',
  '-r /etc/passwd',
  '$HOME $PATH %s',
  'six # not a comment',
  'Flask[async]~=3.0; python_version >= "3.9"',
]

/** A Python image of the file, with two wheels and an apt-get that only writes down what it is asked for. */
async function makeBase(whenOver: WhenOver, { recordsPip }: { readonly recordsPip: boolean }) {
  const base = `drydock-test-base-${randomUUID()}`
  const resources = temporaryFolder(whenOver)
  for (const part of ['docker', 'python']) cpSync(join(RESOURCES, part), join(resources, part), { recursive: true })
  const dockerfile = join(resources, 'docker/worker/Dockerfile')
  writeFileSync(dockerfile, readFileSync(dockerfile, 'utf8').replace(/^ARG BASE=.*$/m, `ARG BASE=${base}:3.11-slim`))
  const label = `drydock-test=${base}`
  // A build that fails leaves the steps that it has done, without a name. These run last of all.
  whenOver(async () => void (await images.docker.pruneImages({ filters: { dangling: ['true'], label: [label] } })))
  const images = setupImages(engine, { resources, whenOver })

  const context = temporaryFolder(whenOver)
  mkdirSync(join(context, 'wheels'))
  makeWheels(join(context, 'wheels'), [
    { name: 'greeting', files: { 'greeting.py': 'WORDS = "hello"\n' } },
    { name: 'other', files: { 'other.py': 'WORDS = "other"\n' } },
  ])
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(context, name), text, { mode: 0o755 })
  const python = recordsPip ? 'RUN rm /usr/local/bin/python3\nCOPY recording-python3 /usr/local/bin/python3\n' : ''
  const lines = `FROM ${PYTHON}\nLABEL ${label}\nCOPY wheels /wheels\nCOPY apt-get /usr/local/bin/apt-get\n${python}`
  writeFileSync(join(context, 'Dockerfile'), lines)
  const built = await images.docker.buildImage(
    { context, src: ['Dockerfile', 'wheels', ...Object.keys(FILES)] },
    { t: `${base}:3.11-slim` },
  )
  await new Promise<void>((resolve, reject) =>
    images.docker.modem.followProgress(built, (error) => (error ? reject(error) : resolve())),
  )
  whenOver(() => images.docker.getImage(`${base}:3.11-slim`).remove({ force: true }))
  // The engine reuses the steps of this worker image for all others on the same base.
  await images.ensure({})
  return { base, resources }
}

const plainBase = sharedInFile((whenOver) => makeBase(whenOver, { recordsPip: false }))
const baseThatRecordsPip = sharedInFile((whenOver) => makeBase(whenOver, { recordsPip: true }))

/** A keeper of images on a Python image of the file; with a pip that only writes down what it is asked for, if wanted. */
async function setup({ recordsPip = false } = {}) {
  const { base, resources } = await (recordsPip ? baseThatRecordsPip() : plainBase())
  const images = setupImages(engine, { resources })
  images.removeLater(`${base}:3.12-slim`)
  return {
    ...images,
    base,
    /** Gives the image of Python the name of another version. */
    tagAs: (tag: string) => images.docker.getImage(`${base}:3.11-slim`).tag({ repo: base, tag }),
    output: (settings: Partial<ContainerSettings>, ...command: readonly string[]) =>
      outputOf(images, images.nameFor(settings), command),
    packageImages: async () => {
      const found = await images.docker.listImages({ filters: { reference: [images.repository] } })
      return found.flatMap(({ RepoTags }) => RepoTags ?? []).filter((name) => name.includes(':packages-'))
    },
  }
}

const words = (text: string) => text.split('\0').filter((word) => word !== '')

describe('a worker image with packages', () => {
  test('has them next to svc_worker, and says what is installed while it is built', async () => {
    const images = await setup()
    const settings = { packages: [GREETING, OTHER] }
    await images.ensure(settings)
    const program = 'import greeting, other, svc_worker, os; print(greeting.WORDS, other.WORDS, os.getuid())'
    expect(await images.output(settings, 'python3', '-c', program)).toBe('hello other 65532')
    expect(images.told).toContain('building the worker image: unpacking what was downloaded')
    images.told.length = 0
    await images.ensure({ packages: [OTHER, GREETING, OTHER] })
    expect(images.told).toEqual([])
  })

  test('is another one for other packages; one without any stays as it was', async () => {
    const images = await setup()
    const all = [
      {},
      { packages: [GREETING] },
      { packages: [OTHER] },
      { systemPackages: ['ffmpeg'] },
      { gpu: 'any', packages: [GREETING] },
    ]
    expect(new Set(all.map(images.nameFor)).size).toBe(all.length)
    await images.ensure({})
    expect(images.told.filter((told) => told.includes('step'))).toContain('building the worker image: step 1 of 9')
    expect(await images.packageImages()).toEqual([])
  })

  test('shares them between workers with a graphics card and without', async () => {
    const images = await setup()
    await Promise.all([images.ensure({ packages: [GREETING] }), images.ensure({ packages: [GREETING], gpu: 'any' })])
    expect(await images.packageImages()).toHaveLength(1)
    const image = (name: string) => images.docker.getImage(name).inspect()
    const [, gpu] = await Promise.all(
      [{}, { gpu: 'any' }].map((more) => image(images.nameFor({ packages: [GREETING], ...more }))),
    )
    expect(gpu?.Config.Env).toContain('NVIDIA_VISIBLE_DEVICES=void')
  })

  test('gets packages of Debian by apt-get, without what they only recommend', async () => {
    const images = await setup()
    const settings = { systemPackages: ['libsndfile1', 'ffmpeg=7:5.1', 'ffmpeg=7:5.1'] }
    await images.ensure(settings)
    expect(words(await images.output(settings, 'cat', '/apt-get.log'))).toEqual([
      '-q',
      'update',
      '-q',
      'install',
      '-y',
      '--no-install-recommends',
      '--',
      'ffmpeg=7:5.1',
      'libsndfile1',
    ])
    expect(images.told).toContain('building the worker image: installing everything')
  })

  test('hands each name to pip as one word, whatever it looks like', async () => {
    const images = await setup({ recordsPip: true })
    const settings = { packages: [...HOSTILE] }
    await images.ensure(settings)
    const read = 'import json; print("given", json.dumps(open("/pip.log", newline="").read().split("\\0")[:-1]))'
    const given = JSON.parse((await images.output(settings, 'python3.11', '-c', read)).replace('given', ''))
    const options = ['-m', 'pip', 'install', '--no-cache-dir', '--no-input', '--']
    expect(given).toEqual([...options, ...HOSTILE.toSorted()])
    expect(await images.output(settings, 'ls', '/')).not.toContain('owned')
  })

  test('that cannot be installed is reported with the words of the installer, and can be asked for again', async () => {
    const images = await setup()
    const failing = { packages: [GREETING, 'missing @ file:///wheels/missing-1.0-py3-none-any.whl'] }
    const reason =
      /^the worker image could not be built: its packages could not be installed\. Check their names.*Its last lines: .*missing-1\.0/
    await expect(images.ensure(failing)).rejects.toThrow(reason)
    await expect(images.ensure(failing)).rejects.toThrow(reason)
    expect(await images.packageImages()).toEqual([])
    await images.ensure({ packages: [GREETING] })
  })
})

describe('a worker image with another Python', () => {
  test('is built on the image of that version', async () => {
    const images = await setup()
    await images.tagAs('3.12-slim')
    await images.ensure({ python: '3.12' })
    expect(images.nameFor({ python: '3.12' })).toBe(`${images.nameFor({})}-python3.12`)
    expect(images.nameFor({ python: '3.11' })).toBe(images.nameFor({}))
    expect(await images.has(images.nameFor({ python: '3.12' }))).toBe(true)
    expect(await images.has(images.nameFor({}))).toBe(false)
  })

  test('whose image is not there is reported by the name of that image', async () => {
    const images = await setup()
    await expect(images.ensure({ python: '3.12', packages: [GREETING], pull: 'never' })).rejects.toThrow(
      `the image ${images.base}:3.12-slim is missing`,
    )
  })
})
