/** The program that fetches sources in the build of a worker image. */
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { zipSync } from 'fflate'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../unit/app/cli/support.ts'
import { commitFiles } from './support-lock.ts'

const PROGRAM = join(import.meta.dirname, '../../resources/docker/workflow/fetch.py')
const FILES = { '__init__.py': 'NODE_CLASS_MAPPINGS = {}\n', 'js/page.js': '//\n' }
const run = promisify(execFile)

function setup() {
  const folder = temporaryFolder()
  const repository = join(folder, 'repository')
  execFileSync('mkdir', [repository])
  const commit = commitFiles(repository, FILES)
  const target = join(folder, 'fetched')
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  return {
    repository,
    commit,
    target,
    fetch: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      run(python, [PROGRAM, ...args, target], { env: { PATH: process.env.PATH, TMPDIR: folder, ...env } }),
    files: () => readdirSync(target, { recursive: true, encoding: 'utf8' }).toSorted(),
  }
}

/** Serves bytes by path, and answers 404 to every other. */
async function serve(answers: (address: string) => Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const answer = answers(address)[url]
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  return address
}

test('a commit is fetched with git, without its history', async () => {
  const { fetch, repository, commit, files } = setup()
  commitFiles(repository, { 'later.py': '' })
  await fetch(['git', `file://${repository}`, commit])
  expect(files()).toEqual(['__init__.py', 'js', 'js/page.js'])
})

test('without git, the archive of the commit is downloaded', async () => {
  const { fetch, repository, commit, files } = setup()
  const archive = execFileSync('git', ['-C', repository, 'archive', '--format=tar.gz', '--prefix=rain-1/', commit])
  const address = await serve(() => ({ [`/ada/rain/archive/${commit}.tar.gz`]: archive }))
  await fetch(['git', `${address}/ada/rain.git`, commit], { PATH: '' })
  expect(files()).toEqual(['__init__.py', 'js', 'js/page.js'])
})

test('a version of the registry is the file that it names', async () => {
  const { fetch, target, files } = setup()
  const zip = zipSync(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [name, Buffer.from(text)])))
  const address = await serve((own) => ({
    '/nodes/rain%2Fada/install?version=1.0.0': JSON.stringify({ downloadUrl: `${own}/rain.zip` }),
    '/rain.zip': zip,
  }))
  await fetch(['registry', 'rain/ada', '1.0.0'], { COMFY_REGISTRY: address })
  expect(files()).toEqual(['__init__.py', 'js', 'js/page.js'])
  expect(readFileSync(join(target, 'js/page.js'), 'utf8')).toBe('//\n')
})

test('a token is sent encrypted, or within the machine', async () => {
  const secrets = temporaryFolder()
  for (const host of ['models.example', '127.0.0.1']) writeFileSync(join(secrets, host), `token of ${host}\n`)
  const script =
    'import fetch, json, sys; fetch.SECRETS = sys.argv[1]; print(json.dumps([fetch.token_for(url) for url in sys.argv[2:]]))'
  const urls = [
    'https://models.example/a',
    'http://models.example/a',
    'http://127.0.0.1:8000/a',
    'https://other.example/',
  ]
  const { stdout } = await run('python3', ['-B', '-c', script, secrets, ...urls], {
    env: { ...process.env, PYTHONPATH: dirname(PROGRAM) },
  })
  expect(JSON.parse(stdout)).toEqual(['token of models.example', null, 'token of 127.0.0.1', null])
})

test('a source that cannot be fetched is named', async () => {
  const { fetch, repository } = setup()
  const missing = '0'.repeat(40)
  await expect(fetch(['git', `file://${repository}`, missing])).rejects.toThrow(`fetch: commit ${missing} of file://`)
  const address = await serve(() => ({}))
  await expect(fetch(['registry', 'rain', '1.0.0'], { COMFY_REGISTRY: address })).rejects.toThrow(/answered 404\n$/)
})
