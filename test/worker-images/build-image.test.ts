/** Worker images of workflows, built by the engine. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Docker from 'dockerode'
import { generate } from 'selfsigned'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createImageBuilder, shippedParts } from '../../src-main/app/app-builder/create-workflow-image-builder.ts'
import { ImageBuildFailure, type WorkflowLock } from '../../src-main/contract/worker-images.ts'
import { type ImageOptions, imageFiles } from '../../src-main/features/worker-images/rules/dockerfile.ts'
import { outputOf, temporaryFolder } from '../docker/support-images.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { commitFiles, makeLock, PYTHON_IMAGE, sha256Of } from './support-lock.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const SIX = {
  name: 'six',
  version: '1.16.0',
  sha256: ['8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254'],
  wantedBy: ['clouds'],
}

async function setup() {
  const dockerHost = 'why' in engine ? '' : engine.dockerHost
  const docker = new Docker({ socketPath: dockerHost.replace('unix://', '') })
  const folder = temporaryFolder()
  const tag = `drydock-test-image-${randomUUID()}:1`
  const told: string[] = []
  const builder = createImageBuilder({
    env: { ...process.env, DOCKER_HOST: dockerHost, XDG_CACHE_HOME: join(folder, 'cache') },
    home: folder,
    platform: process.platform,
    lockFolder: folder,
    modelFile: (name) => join(folder, 'models', name),
  })
  onTestFinished(async () => {
    await docker
      .getImage(tag)
      .remove({ force: true })
      .catch(() => undefined) // it was not built
  })
  return {
    docker,
    folder,
    told,
    async build(
      lock: WorkflowLock,
      options: Partial<ImageOptions> & {
        noCache?: boolean
        secrets?: Record<string, string>
        signal?: AbortSignal
      } = {},
    ) {
      const { noCache = false, secrets = {}, signal = new AbortController().signal, ...more } = options
      told.length = 0
      const image = imageFiles(lock, { ...(await shippedParts()), worker: [], ...more })
      const request = { lock, image, tag, noCache, secrets }
      return builder.build(request, { report: ({ text }) => told.push(text), signal })
    },
    output: (...command: readonly string[]) => outputOf({ docker }, tag, command),
    layers: async () => (await docker.getImage(tag).inspect()).RootFS.Layers ?? [],
  }
}

describe('a worker image', () => {
  test('has the same digest in each build of its lock, also without any cache', async () => {
    const { folder, build, layers, output } = await setup()
    const lock = makeLock(folder, { python: [SIX] })
    const first = await build(lock)
    const before = await layers()
    const again = await build(lock, { noCache: true })
    expect(again.steps.map(({ state }) => state)).toEqual(again.steps.map(() => 'new'))
    expect(await layers()).toEqual(before)
    expect(again.imageId).toBe(first.imageId)
    const cached = await build(lock)
    expect(cached.imageId).toBe(first.imageId)
    expect(cached.steps.every(({ state }) => state === 'cached')).toBe(true)

    expect(await output('python3', '/comfyui/main.py')).toBe('ComfyUI')
    expect(await output('cat', '/comfyui/custom_nodes/clouds/installed.txt')).toBe('by install.py')
    expect(await output('python3', '-c', 'import six; print(six.__version__)')).toBe('1.16.0')
    const modules =
      'import importlib.util, os; print(os.path.exists(importlib.util.cache_from_source("/comfyui/nodes/core.py")))'
    expect(await output('python3', '-c', modules)).toBe('True')
    expect(await output('sh', '-c', 'ls -A /tmp; find /comfyui /usr/local/lib ! -type l -newermt 1980-01-02')).toBe('')
  })

  test('is rebuilt from the changed nodes on, and says which layers are new', async () => {
    const { folder, build } = await setup()
    const lock = makeLock(folder)
    await build(lock)
    const commit = commitFiles(join(folder, 'rain'), { '__init__.py': `NODE_CLASS_MAPPINGS = {} # ${randomUUID()}\n` })
    const nodes = lock.nodes.map((one) =>
      one.name === 'rain' ? { ...one, source: { repository: 'rain', commit } } : one,
    )
    const { steps } = await build({ ...lock, nodes })
    const newTitles = steps.filter(({ state }) => state === 'new').map(({ title }) => title)
    expect(newTitles).toEqual([`custom nodes rain ${commit.slice(0, 7)}`])
  })

  test('says what runs and, from the second build on, the time left', async () => {
    const { folder, build, told } = await setup()
    const lock = makeLock(folder)
    await build(lock, { noCache: true })
    expect(told).toContain('step 2 of 4, ComfyUI 0.3.60 (time left unknown: first build)')
    await build(lock, { noCache: true })
    expect(told.find((text) => text.startsWith('step 2 of 4, ComfyUI 0.3.60 (about '))).toMatch(/\(about .* left\)$/)
  })

  test('has small models, copied from this machine or downloaded and checked; the others are mounted', async () => {
    const { folder, docker, build, output } = await setup()
    const small = Buffer.alloc(1000, randomUUID())
    const upscaler = Buffer.alloc(1000, randomUUID())
    mkdirSync(join(folder, 'models/loras'), { recursive: true })
    writeFileSync(join(folder, 'models/loras/small one.safetensors'), small)
    const address = await serveToContainers(docker, upscaler)
    const lock = makeLock(folder, {
      models: [
        { folder: 'loras', name: 'small one.safetensors', sizeBytes: 1000, sha256: sha256Of(small) },
        { folder: 'upscale_models', name: 'up.pth', sizeBytes: 1000, sha256: sha256Of(upscaler), source: address },
        { folder: 'checkpoints', name: 'large.safetensors', sizeBytes: 6e9 },
      ],
    })
    await build(lock, { ownModels: new Set(['loras/small one.safetensors']) })
    const found = await output('sh', '-c', 'cd /comfyui/models && find . -type f | sort | xargs -d "\\n" sha256sum')
    expect(found.split(/\r?\n/)).toEqual([
      `${sha256Of(small)}  ./loras/small one.safetensors`,
      `${sha256Of(upscaler)}  ./upscale_models/up.pth`,
    ])
    expect(await output('cat', '/comfyui/extra_model_paths.yaml')).toContain('"checkpoints": "models/checkpoints/"')

    const [, model] = lock.models
    const other = {
      ...lock,
      models: [{ ...lock.models[1], folder: 'x', name: 'y', sha256: sha256Of('other'), ...{ source: model?.source } }],
    }
    await expect(build(other)).rejects.toThrow(/^Step 5 of 5 \(model x\/y, 1000 B\) failed with exit code 1\.$/)
  })

  test('whose layer fails says the step, the package and its last lines', async () => {
    const { folder, build } = await setup()
    const missing = { ...SIX, name: 'six', version: '0.0.999' }
    const failed = await build(makeLock(folder, { python: [missing] })).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ImageBuildFailure)
    expect(String(failed)).toContain(
      'Step 3 of 5 (1 Python package) failed with exit code 1. Python package: six, which clouds asked for.',
    )
    const lines = failed instanceof ImageBuildFailure ? failed.step.lastLines : []
    expect(lines.length).toBeLessThanOrEqual(8)
    expect(lines.at(-1)).toContain('No matching distribution found for six==0.0.999')
  })

  test('whose sources are not there is not begun, and names them', async () => {
    const { folder, build, told } = await setup()
    const lock = makeLock(folder)
    const nodes = lock.nodes.map((one) => ({ ...one, source: { repository: 'clouds', commit: '0'.repeat(40) } }))
    await expect(build({ ...lock, nodes })).rejects.toThrow('clouds cannot be read: ')
    const other = { folder: 'vae', name: 'a.pt', sizeBytes: 1, sha256: sha256Of('other') }
    mkdirSync(join(folder, 'models/vae'), { recursive: true })
    writeFileSync(join(folder, 'models/vae/a.pt'), 'a')
    const changed = build({ ...lock, nodes: [], models: [other] }, { ownModels: new Set(['vae/a.pt']) })
    await expect(changed).rejects.toThrow(/vae\/a\.pt is another file than the lock names: its SHA-256 is /)
    expect(told).toEqual([])
  })

  test('gets secrets while it is built, and keeps none', async () => {
    const { folder, docker, build, output } = await setup()
    const content = Buffer.alloc(1000, randomUUID())
    const asked: (string | undefined)[] = []
    const hostname = await gatewayOf(docker)
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'the test' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: hostname }] }],
    })
    const note = (authorization: string | undefined) => void asked.push(authorization)
    const source = await serveToContainers(docker, content, { onRequest: note, certificate: { cert, key } })
    const lock = makeLock(folder, {
      base: { image: await baseTrusting(docker, cert), python: '3.11' },
      models: [{ folder: 'vae', name: 'a.pt', sizeBytes: 1000, source }],
    })
    const { imageId } = await build(lock, { secrets: { [hostname]: 'hf_enchantress' } })
    expect(asked).toEqual(['Bearer hf_enchantress'])
    expect(
      JSON.stringify([await docker.getImage(imageId).inspect(), await docker.getImage(imageId).history()]),
    ).not.toContain('enchantress')
    expect(await output('sh', '-c', 'grep -rl enchantress /comfyui /usr/local /root /tmp || echo none')).toBe('none')
  })

  test('takes hostile names and values as text', async () => {
    const { folder, build, output } = await setup()
    const own = 'loras/a\'; touch "$(echo owned)"; \'.safetensors'
    mkdirSync(join(folder, 'models/loras'), { recursive: true })
    writeFileSync(join(folder, 'models', own), 'weights')
    const value = `$(touch /owned) "$HOME" \`id\` \\ 'a' <<EOF`
    const lock = makeLock(folder, {
      models: [{ folder: 'loras', name: own.slice('loras/'.length), sizeBytes: 7 }],
      environment: { HOSTILE: value },
    })
    const nodes = lock.nodes.map((one) => (one.name === 'rain' ? { ...one, name: '-rf +a b' } : one))
    await build({ ...lock, nodes }, { ownModels: new Set([own]) })
    expect(await output('python3', '-c', 'import os; print(os.environ["HOSTILE"])')).toBe(value)
    expect(await output('cat', `/comfyui/models/${own}`)).toBe('weights')
    expect(await output('ls', '/comfyui/custom_nodes')).toMatch(/-rf \+a b/)
    expect(await output('sh', '-c', 'find / -xdev -name "*owned*" -not -path "*safetensors"')).toBe('')
  })

  test('that is cancelled leaves no build, container, volume or image', async () => {
    const { folder, docker, build } = await setup()
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const source = await serveToContainers(docker, undefined, { onRequest: () => resolve(), onClose: () => end() })
    const lock = makeLock(folder, { models: [{ folder: 'vae', name: 'a.pt', sizeBytes: 1000, source }] })
    const things = async () => [
      (await docker.listContainers({ all: true })).filter(({ Image }) => Image.includes('drydock-test-image')),
      (await docker.listVolumes()).Volumes.filter(({ Name }) => Name.includes('drydock-test-image')),
    ]
    const stop = new AbortController()
    const building = build(lock, { signal: stop.signal })
    building.catch(() => undefined)
    await started
    stop.abort(new Error('stopped by a test'))
    await expect(building).rejects.toThrow('stopped by a test')
    await ended // the program in the build has closed its connection
    expect(await things()).toEqual([[], []])
  })
})

/** Serves content at an address that containers reach; without content it never ends. */
async function serveToContainers(
  docker: Docker,
  content: Buffer | undefined,
  {
    onRequest = () => undefined,
    onClose = () => undefined,
    certificate,
  }: {
    readonly onRequest?: (authorization: string | undefined) => void
    readonly onClose?: () => void
    /** Serves https. */
    readonly certificate?: { readonly cert: string; readonly key: string }
  } = {},
): Promise<string> {
  const respond: RequestListener = (request, response) => {
    request.socket.on('close', onClose)
    if (content === undefined) response.writeHead(200, { 'content-length': 1000 }).flushHeaders()
    else response.writeHead(200, { 'content-length': content.length }).end(content)
    onRequest(request.headers.authorization)
  }
  const server = certificate === undefined ? createServer(respond) : createSecureServer(certificate, respond)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '0.0.0.0', resolve)
  await promise
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return `http${certificate === undefined ? '' : 's'}://${await gatewayOf(docker)}:${port}/model`
}

async function gatewayOf(docker: Docker): Promise<string> {
  const { IPAM } = await docker.getNetwork('bridge').inspect()
  const [{ Gateway, Subnet } = {}] = IPAM?.Config ?? []
  return Gateway ?? Subnet?.replace(/\d+\/\d+$/, '1') ?? ''
}

/** @returns a base image whose Python trusts the certificate */
async function baseTrusting(docker: Docker, cert: string): Promise<string> {
  const folder = temporaryFolder()
  const file = '/usr/local/share/test.pem'
  const image = `drydock-test-image-base-${randomUUID()}:1`
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'Dockerfile'), `FROM ${PYTHON_IMAGE}\nCOPY cert.pem ${file}\nENV SSL_CERT_FILE=${file}\n`)
  const stream = await docker.buildImage({ context: folder, src: ['Dockerfile', 'cert.pem'] }, { t: image })
  onTestFinished(() => docker.getImage(image).remove({ force: true }))
  await new Promise((resolve, reject) =>
    docker.modem.followProgress(stream, (error, all) => (error === null ? resolve(all) : reject(error))),
  )
  return image
}
