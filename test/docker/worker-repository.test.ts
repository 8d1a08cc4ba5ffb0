/** A worker repository with a Dockerfile and the public worker SDK: tests in its image, deploys, and a rollback. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startCommand, temporaryFolder } from '../e2e/support-cli.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine('image-runpod')

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const DOCKER_HOST = 'why' in engine ? '' : engine.dockerHost
// A deploy waits for a container that loads the public SDK; in ms.
const LIMIT_MS = 300_000

const HANDLER = `import os, runpod
def handler(job):
    word = open('/word').read().strip()
    return {'says': f"{word} {job['input']['name']} in {os.environ.get('STYLE')}", 'token': os.environ.get('TOKEN')}
runpod.serverless.start({'handler': handler})
`
const DOCKERFILE = `FROM drydock-test/runpod-worker
ARG WORD=hello
RUN echo "$WORD" >/word
COPY handler.py /handler.py
CMD ["python3", "-u", "/handler.py"]
`
const HUB = {
  title: 'Greeter',
  config: {
    runsOn: 'CPU',
    containerDiskInGb: 5,
    env: [
      { key: 'STYLE', input: { type: 'string', default: 'plain' } },
      { key: 'TOKEN', input: { type: 'string', required: true } },
    ],
    presets: [{ name: 'Loud', defaults: { STYLE: 'capitals' } }],
  },
}
const TESTS = {
  tests: [{ name: 'greets', input: { name: 'Ada' }, timeout: 60_000 }],
  config: { env: [{ key: 'STYLE', value: 'tests' }] },
}

function repositoryIn(folder: string): (name: string, text: string | object) => void {
  const write = (name: string, content: string | object) => {
    const path = join(folder, 'greeter', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  write('Dockerfile', DOCKERFILE)
  write('.dockerignore', '.runpod\n')
  write('handler.py', HANDLER)
  write('.runpod/hub.json', HUB)
  write('.runpod/tests.json', TESTS)
  return write
}

const docker = async (...argv: readonly string[]) =>
  (await promisify(execFile)('docker', argv, { env: { ...process.env, DOCKER_HOST } })).stdout

test(
  'its tests run in the image that is built for them, which vanishes',
  async () => {
    const cwd = temporaryFolder()
    const write = repositoryIn(cwd)
    const data = join(cwd, 'none')
    const run = (...argv: readonly string[]) =>
      startCommand(['test', './greeter', '--build', '--json', '--data', data, ...argv], { cwd, env: { DOCKER_HOST } })
        .ended
    const passed = await run('--build-arg', 'WORD=hi')
    expect(passed).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(passed.stdout)).toMatchObject({
      passed: 1,
      failed: 0,
      tests: [{ name: 'greets', output: { says: 'hi Ada in tests' } }],
    })
    write('.runpod/tests.json', { tests: [{ name: 'lacks a name', input: {} }] })
    const failed = await run()
    expect(failed).toMatchObject({ exitCode: 1 })
    expect(JSON.parse(failed.stdout)).toMatchObject({ passed: 0, failed: 1 })
    write('Dockerfile', 'FROM drydock-test/runpod-worker\nRUN echo why; false\n')
    const unbuilt = await run()
    expect(JSON.parse(unbuilt.stdout || unbuilt.stderr)).toEqual({
      code: 'IMAGE_NOT_BUILT',
      error: expect.stringMatching(/step \[2\/2\] RUN echo why; false failed: exit code 1\.\nwhy$/),
    })
    expect(await docker('image', 'ls', '--quiet', 'drydock-test')).toBe('')
  },
  LIMIT_MS,
)

test(
  'is deployed as an app: plan, release, change without downtime, and rollback to the earlier image',
  async () => {
    const service = await startedContainerService(engine)
    const write = repositoryIn(service.folder)
    onTestFinished(async () => {
      const tags = (await docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', 'drydock-app/greeter')).split(
        '\n',
      )
      await docker('image', 'rm', '--force', ...tags.filter(Boolean))
    })
    const command = (...argv: readonly string[]) =>
      startCommand([...argv, '--data', service.data], { cwd: service.folder, env: { DOCKER_HOST } }).ended
    const deploy = async (...argv: readonly string[]) => {
      const ended = await command('deploy', './greeter', '--json', ...argv)
      expect(ended).toMatchObject({ exitCode: 0 })
      return JSON.parse(ended.stdout)
    }
    const greet = async () => (await service.post('/v2/greeter/runsync', { input: { name: 'Ada' } })).output

    expect(await command('deploy', './greeter')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('TOKEN is required. Set it with --variable NAME=VALUE.'),
    })
    await command('env', 'create', 'production', '--app', 'greeter')
    expect(await command('env', 'set', 'TOKEN=from-env', '--app', 'greeter')).toMatchObject({ exitCode: 0 })
    const { plan } = await deploy('--plan')
    expect(plan).toMatchObject({ app: 'greeter', steps: [{ resource: 'greeter', action: 'create' }] })
    const first = await deploy('--preset', 'Loud')
    expect(first.release).toMatchObject({ app: 'greeter', number: 1, state: 'active' })
    expect(await greet()).toEqual({ says: 'hello Ada in capitals', token: 'from-env' })
    const { container } = await service.get('/api/endpoints/greeter')
    expect(container).toMatchObject({
      diskBytes: 5 * 1024 ** 3,
      image: expect.stringMatching(/^drydock-app\/greeter:/),
    })

    const again = await deploy('--preset', 'Loud')
    expect(again.release.number).toBe(1)
    expect(again.plan.steps).toMatchObject([{ action: 'unchanged' }])

    write('handler.py', HANDLER.replace('says', 'answers'))
    const shown = await command('deploy', './greeter', '--plan', '--build-arg', 'WORD=good day')
    expect(shown.stdout).toMatch(
      /~ greeter +update .*container\.image drydock-app\/greeter:\w+ -> drydock-app\/greeter:\w+/,
    )
    expect(shown.stdout).toContain('(hidden)')
    const waiting = await service.post('/v2/greeter/run', { input: { name: 'Bea' } })
    const second = await deploy('--build-arg', 'WORD=good day')
    expect(second.release).toMatchObject({ number: 2, state: 'active' })
    expect(await greet()).toEqual({ answers: 'good day Ada in plain', token: 'from-env' })
    expect(await service.jobEnd('greeter', waiting.id)).toMatchObject({ status: 'COMPLETED' })

    expect(await command('rollback', '--app', 'greeter', '--yes')).toMatchObject({ exitCode: 0 })
    expect(await greet()).toEqual({ says: 'hello Ada in capitals', token: 'from-env' })

    write('Dockerfile', 'FROM drydock-test/runpod-worker\nCMD ["python3", "-c", "raise SystemExit(3)"]\n')
    const broken = await command('deploy', './greeter')
    expect(broken).toMatchObject({ exitCode: 1 })
    expect(await greet()).toEqual({ says: 'hello Ada in capitals', token: 'from-env' })
  },
  LIMIT_MS,
)
